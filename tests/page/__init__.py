"""The search page in Chromium, over the sample posts: what people do with it."""
