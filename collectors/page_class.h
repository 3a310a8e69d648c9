/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the kind of a page by its number, by arithmetic alone. Pure functions; any thread. */
#pragma once

#include <stdint.h>

enum page_class {
	PAGE_ORDINARY,
	PAGE_FILE_HEADER,
	PAGE_PFS,
	PAGE_GAM,
	PAGE_SGAM,
	PAGE_DCM,
	PAGE_BCM,
	PAGE_BOOT,
};

/*
 * Kind of a page by its number (PFS every 8088, allocation maps every 511232 pages, after
 * Microsoft's guide to pages and extents). Where PFS and GAM coincide (multiples of 516,855,552)
 * the answer is PFS. Pure.
 */
enum page_class page_class_of(int32_t file_id, int64_t page_id);

/* Name of a class as the API shows it: "ordinary", "pfs", "gam" ... Pure. */
const char *page_class_name(enum page_class class);
