"""The folder of posts: what lies in it and what has changed."""
