# ruff: noqa: S608 - texts put together from constants of this module
"""The file of one cloud's offers: an SQLite database that is written once, whole, and never changed.

``types`` and ``places`` are numbered in the order of their names, so that numbers sort as names do. ``offers`` is kept
in the order in which one type is read (cheapest first), ``by_region`` in the order in which one region is.
``cheapest`` holds the lowest price of each type, ``best`` the same by accelerator: which type to look into next.
No query here sorts; a test holds that.
"""

APPLICATION_ID = 0x736B7978  # "skyx"
VERSION = 1
SUFFIX = ".db"

TABLES = (
    "CREATE TABLE header (cloud TEXT, source TEXT, imported_at REAL, rows INTEGER, digest TEXT)",
    "CREATE TABLE types (id INTEGER PRIMARY KEY, name TEXT, cpus REAL, memory_gb REAL, accelerators TEXT)",
    "CREATE UNIQUE INDEX types_by_name ON types (name, cpus, memory_gb, accelerators)",
    "CREATE TABLE regions (id INTEGER PRIMARY KEY, name TEXT UNIQUE)",
    "CREATE TABLE places (id INTEGER PRIMARY KEY, region INTEGER, zone TEXT)",  # zone '' = not told apart
    "CREATE UNIQUE INDEX places_by_region ON places (region, zone)",
    "CREATE INDEX places_by_zone ON places (zone, region)",
    "CREATE TABLE extras (id INTEGER PRIMARY KEY, quota_buckets TEXT, reservation TEXT)",  # 0 = none of either
    "CREATE TABLE offers (type INTEGER, spot INTEGER, price REAL, place INTEGER, extra INTEGER, region INTEGER,"
    " PRIMARY KEY (type, spot, price, place, extra)) WITHOUT ROWID",
    "CREATE TABLE cheapest (spot INTEGER, price REAL, type INTEGER, PRIMARY KEY (spot, price, type)) WITHOUT ROWID",
    "CREATE TABLE best (accelerator TEXT, count REAL, spot INTEGER, price REAL, type INTEGER,"
    " PRIMARY KEY (accelerator, count, spot, price, type)) WITHOUT ROWID",  # '' and 0 = machines without any
)
BY_REGION = "CREATE INDEX by_region ON offers (region, spot, price, place, type, extra)"

HEADER = "SELECT cloud, source, imported_at, rows, digest FROM header"

_SIZES = "t.cpus BETWEEN :cpus_from AND :cpus_to AND t.memory_gb BETWEEN :memory_from AND :memory_to"
_TYPE = "t.id, t.name, t.cpus, t.memory_gb, t.accelerators"

ALL_TYPES = f"""SELECT c.price, {_TYPE} FROM cheapest AS c CROSS JOIN types AS t ON t.id = c.type
WHERE c.spot = :spot AND (c.price, c.type) > (:price, :type) AND {_SIZES}
ORDER BY c.price, c.type LIMIT :limit"""

TYPES_BY_ACCELERATOR = f"""SELECT b.price, {_TYPE} FROM best AS b CROSS JOIN types AS t ON t.id = b.type
WHERE b.accelerator = :accelerator AND b.count = :count AND b.spot = :spot AND (b.price, b.type) > (:price, :type)
AND {_SIZES} ORDER BY b.price, b.type LIMIT :limit"""

TYPES_BY_NAME = f"""SELECT 0.0, {_TYPE} FROM types AS t WHERE t.name = :name AND {_SIZES}
ORDER BY t.name, t.cpus, t.memory_gb, t.accelerators"""

_OFFER = "o.price, o.place, o.type, o.extra, r.name, p.zone"
_ZONE = "(:zone = '' OR p.zone IN ('', :zone))"

OFFERS_OF_TYPE = f"""SELECT {_OFFER} FROM offers AS o CROSS JOIN places AS p ON p.id = o.place
CROSS JOIN regions AS r ON r.id = o.region
WHERE o.type = :of_type AND o.spot = :spot AND (o.price, o.place, o.extra) > (:price, :place, :extra)
AND o.region BETWEEN :region_from AND :region_to AND {_ZONE}
ORDER BY o.price, o.place, o.extra LIMIT :limit"""

OFFERS_OF_REGION = f"""SELECT {_OFFER}, {_TYPE} FROM offers AS o INDEXED BY by_region
CROSS JOIN types AS t ON t.id = o.type CROSS JOIN places AS p ON p.id = o.place
CROSS JOIN regions AS r ON r.id = o.region
WHERE o.region = :region AND o.spot = :spot AND (o.price, o.place, o.type, o.extra) > (:price, :place, :type, :extra)
AND (:plain = 0 OR t.accelerators = '{{}}') AND {_SIZES} AND {_ZONE}
ORDER BY o.price, o.place, o.type, o.extra LIMIT :limit"""

REGION_ID = "SELECT id FROM regions WHERE name = :name"
REGIONS_OF_ZONE = "SELECT DISTINCT region FROM places WHERE zone = :zone ORDER BY region LIMIT 2"
WITHOUT_ZONES = "SELECT 1 FROM places WHERE zone = '' LIMIT 1"
NEXT_COUNT = "SELECT min(count) FROM best WHERE accelerator = :accelerator AND count > :after"
EXTRA = "SELECT quota_buckets, reservation FROM extras WHERE id = :id"

TYPE_NAMES = "SELECT DISTINCT name FROM types"
TYPE_NAMES_LIKE = "SELECT DISTINCT name FROM types WHERE name >= :low AND name < :high LIMIT :limit"
TYPE_COUNT = "SELECT count(*) FROM types"
REGION_NAMES = "SELECT name FROM regions"
ZONE_NAMES = "SELECT DISTINCT zone FROM places WHERE zone <> ''"
REGION_NAMES_OF_ZONE = (
    "SELECT r.name FROM places AS p CROSS JOIN regions AS r ON r.id = p.region WHERE p.zone = :zone ORDER BY p.region"
)
ZONE_NAMES_OF_REGION = (
    "SELECT p.zone FROM regions AS r CROSS JOIN places AS p ON p.region = r.id WHERE r.name = :region ORDER BY p.zone"
)
ACCELERATOR_NAMES = "SELECT DISTINCT accelerator FROM best WHERE accelerator <> ''"

BEST_PRICES = """SELECT accelerator, count, spot, min(price), type FROM best
WHERE accelerator <> '' GROUP BY accelerator, count, spot"""
BEST_PRICES_OF = """SELECT accelerator, count, spot, min(price), type FROM best
WHERE accelerator = :accelerator GROUP BY accelerator, count, spot"""
FIRST_OF_TYPE = """SELECT t.name, r.name FROM offers AS o CROSS JOIN types AS t ON t.id = o.type
CROSS JOIN regions AS r ON r.id = o.region
WHERE o.type = :type AND o.spot = :spot ORDER BY o.price, o.place LIMIT 1"""
