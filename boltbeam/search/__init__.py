"""The search: filters, workers, races, comparisons. `search.search` is the module to read first."""
