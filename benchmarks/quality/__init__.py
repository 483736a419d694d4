"""Quality of search: shares of queries with known answers that find them."""
