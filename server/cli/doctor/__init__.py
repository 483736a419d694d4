"""`blog-server doctor`: check everything that serving a blog needs."""
