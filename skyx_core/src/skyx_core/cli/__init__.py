"""The command line: one user of the session, nothing more. Modules here load when their command is used."""
