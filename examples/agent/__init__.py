"""An agent that answers a question from the blog: it searches, reads, and answers with links."""
