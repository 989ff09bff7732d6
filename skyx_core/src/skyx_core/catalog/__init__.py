"""Offers on disk: one file per cloud, imported, updated or from a cloud's package; read lazily, cheapest first."""

from skyx_core.catalog.catalogue import Catalogue

__all__ = ["Catalogue"]
