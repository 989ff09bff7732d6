"""Needs something that its distribution forgot to declare."""

import a_module_that_nobody_has

Cloud = a_module_that_nobody_has.Cloud
