// What the page itself has to say. docs/troubleshooting.md has a row for each; a test holds it.

export const UNREACHABLE =
  "The server does not answer. Start it again with blog-server --http, then try again.";
export const UNREADABLE =
  "The answer is not one of this server's. Look at what stands between it and this page, then try again.";
