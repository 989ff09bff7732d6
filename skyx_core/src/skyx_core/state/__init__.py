"""What skyx remembers: the store of clusters, the lock of a cluster, and names. Import the modules themselves."""
