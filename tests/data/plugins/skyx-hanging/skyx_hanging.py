"""Never comes back from its import."""

import time

time.sleep(600)
