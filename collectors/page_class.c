/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kind of a page by its number. In the first interval of a file the maps stand at 2, 3, 6 and
 * 7, for 0 is the header and 1 the first PFS; in each later one at offsets 0, 1, 6 and 7.
 * A test of (page - 1) % 8088, as some published ones have it, is wrong. Pure; any thread.
 */
#include "collectors/page_class.h"

enum { PFS_EVERY = 8088, MAPS_EVERY = 511232, BOOT_PAGE = 9, BOOT_FILE = 1 };

static const char *const class_names[] = {
	[PAGE_ORDINARY] = "ordinary", [PAGE_FILE_HEADER] = "file_header",
	[PAGE_PFS] = "pfs",	      [PAGE_GAM] = "gam",
	[PAGE_SGAM] = "sgam",	      [PAGE_DCM] = "dcm",
	[PAGE_BCM] = "bcm",	      [PAGE_BOOT] = "boot",
};

static enum page_class class_in_first_interval(int32_t file_id, int64_t page_id)
{
	switch (page_id) {
	case 0:
		return PAGE_FILE_HEADER;
	case 1:
		return PAGE_PFS;
	case 2:
		return PAGE_GAM;
	case 3:
		return PAGE_SGAM;
	case 6:
		return PAGE_DCM;
	case 7:
		return PAGE_BCM;
	case BOOT_PAGE:
		return file_id == BOOT_FILE ? PAGE_BOOT : PAGE_ORDINARY;
	default:
		return PAGE_ORDINARY;
	}
}

static enum page_class class_by_offset(int64_t offset)
{
	switch (offset) {
	case 0:
		return PAGE_GAM;
	case 1:
		return PAGE_SGAM;
	case 6:
		return PAGE_DCM;
	case 7:
		return PAGE_BCM;
	default:
		return PAGE_ORDINARY;
	}
}

enum page_class page_class_of(int32_t file_id, int64_t page_id)
{
	if (page_id > 0 && page_id % PFS_EVERY == 0)
		return PAGE_PFS;
	if (page_id < MAPS_EVERY)
		return class_in_first_interval(file_id, page_id);
	return class_by_offset(page_id % MAPS_EVERY);
}

const char *page_class_name(enum page_class class)
{
	return class_names[class];
}
