"""One module for each row of the table: a stage in, figures out."""
