"""The life of clusters: launch, refresh, stop, start, down. All I/O is here; decisions are in the pure parts."""
