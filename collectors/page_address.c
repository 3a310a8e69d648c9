/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads resource texts. The wait type decides first, then the first word; each known form is a row
 * of a table that says which number stands where. Texts may be cut at 256 characters, so nothing
 * is asked of how they end. Pure; any thread.
 */
#include "collectors/page_address.h"

#include <stddef.h>
#include <string.h>

/*
 * Which field a number goes to: d database, f file, p page, o object, h hobt, i index or lock
 * partition, s slot.
 */
struct form {
	const char *prefix;
	enum resource_kind kind;
	const char *fields; /* in order, separated by colons */
	size_t required;    /* how many must be there */
};

/* dm_exec_requests.wait_resource; TAB and PAG are of 2005 and before. */
static const struct form colon_forms[] = {
	{"PAGE:", RESOURCE_PAGE_LOCK, "dfp", 3},
	{"PAG:", RESOURCE_PAGE_LOCK, "dfp", 3},
	{"KEY:", RESOURCE_KEY_LOCK, "dh", 2},
	{"RID:", RESOURCE_ROW_LOCK, "dfps", 4},
	{"OBJECT:", RESOURCE_OBJECT_LOCK, "doi", 2},
	{"TAB:", RESOURCE_OBJECT_LOCK, "doi", 2},
	{"DATABASE:", RESOURCE_DATABASE_LOCK, "d", 1},
	{"FILE:", RESOURCE_FILE_LOCK, "df", 1},
	{"EXTENT:", RESOURCE_EXTENT_LOCK, "dfp", 3},
	{"HOBT:", RESOURCE_HOBT_LOCK, "dh", 2},
	{"ALLOCATION_UNIT:", RESOURCE_ALLOCATION_UNIT_LOCK, "dh", 2},
	{"APPLICATION:", RESOURCE_APPLICATION_LOCK, "d", 1},
	{"XACT:", RESOURCE_XACT_LOCK, "d", 1},
	{"[XACT:", RESOURCE_XACT_LOCK, "d", 1},
};

/* dm_os_waiting_tasks.resource_description: "keylock hobtid=1 dbid=5 ..." */
static const struct form named_forms[] = {
	{"keylock", RESOURCE_KEY_LOCK, "dh", 1},
	{"objectlock", RESOURCE_OBJECT_LOCK, "do", 1},
	{"pagelock", RESOURCE_PAGE_LOCK, "dfp", 3},
	{"ridlock", RESOURCE_ROW_LOCK, "dfp", 3},
	{"databaselock", RESOURCE_DATABASE_LOCK, "d", 1},
	{"filelock", RESOURCE_FILE_LOCK, "df", 1},
	{"extentlock", RESOURCE_EXTENT_LOCK, "dfp", 3},
	{"applicationlock", RESOURCE_APPLICATION_LOCK, "d", 1},
	{"metadatalock", RESOURCE_METADATA_LOCK, "d", 1},
	{"hobtlock", RESOURCE_HOBT_LOCK, "dh", 1},
	{"allocunitlock", RESOURCE_ALLOCATION_UNIT_LOCK, "dh", 1},
	{"xactlock", RESOURCE_XACT_LOCK, "d", 1},
	{"exchangeEvent", RESOURCE_EXCHANGE, "", 0},
	{"threadpool", RESOURCE_THREADPOOL, "", 0},
	{"External", RESOURCE_EXTERNAL, "", 0},
	{"TransactionMutex", RESOURCE_GENERIC, "", 0},
	{"Mutex", RESOURCE_GENERIC, "", 0},
	{"CLRTaskJoin", RESOURCE_GENERIC, "", 0},
	{"CLRMonitorEvent", RESOURCE_GENERIC, "", 0},
	{"CLRRWLockEvent", RESOURCE_GENERIC, "", 0},
	{"resourceWait", RESOURCE_GENERIC, "", 0},
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *const kind_names[] = {
	[RESOURCE_NONE] = "none",
	[RESOURCE_INVALID] = "invalid",
	[RESOURCE_UNKNOWN] = "unknown",
	[RESOURCE_PAGE] = "page",
	[RESOURCE_PAGE_LOCK] = "page_lock",
	[RESOURCE_KEY_LOCK] = "key_lock",
	[RESOURCE_ROW_LOCK] = "row_lock",
	[RESOURCE_OBJECT_LOCK] = "object_lock",
	[RESOURCE_COMPILE_LOCK] = "compile_lock",
	[RESOURCE_DATABASE_LOCK] = "database_lock",
	[RESOURCE_FILE_LOCK] = "file_lock",
	[RESOURCE_EXTENT_LOCK] = "extent_lock",
	[RESOURCE_HOBT_LOCK] = "hobt_lock",
	[RESOURCE_ALLOCATION_UNIT_LOCK] = "allocunit_lock",
	[RESOURCE_APPLICATION_LOCK] = "application_lock",
	[RESOURCE_METADATA_LOCK] = "metadata_lock",
	[RESOURCE_XACT_LOCK] = "xact_lock",
	[RESOURCE_LATCH_CLASS] = "latch_class",
	[RESOURCE_EXCHANGE] = "exchange",
	[RESOURCE_THREADPOOL] = "threadpool",
	[RESOURCE_EXTERNAL] = "external",
	[RESOURCE_GUID] = "guid",
	[RESOURCE_LINKED_SERVER] = "linked_server",
	[RESOURCE_GENERIC] = "generic",
};

static struct page_address address_of_kind(enum resource_kind kind)
{
	return (struct page_address){
		.kind = kind,
		.database_id = -1,
		.file_id = -1,
		.page_id = -1,
		.object_id = -1,
		.hobt_id = -1,
		.partition = -1,
		.slot = -1,
	};
}

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t\r\n");
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* Reads decimal digits and moves *text past them; false without a digit or above limit. */
static bool read_number(const char **text, int64_t limit, int64_t *number)
{
	const char *at = *text;
	if (!is_digit(*at))
		return false;
	int64_t value = 0;
	for (; is_digit(*at); at++) {
		int64_t digit = *at - '0';
		if (value > (limit - digit) / 10)
			return false;
		value = 10 * value + digit;
	}
	*text = at;
	*number = value;
	return true;
}

static int64_t field_limit(char field)
{
	switch (field) {
	case 'd':
	case 'f':
		return INT16_MAX;
	case 'p':
		return UINT32_MAX;
	case 's':
		return UINT16_MAX;
	default:
		return INT64_MAX;
	}
}

static void set_field(struct page_address *address, char field, int64_t number)
{
	switch (field) {
	case 'd':
		address->database_id = (int32_t)number;
		break;
	case 'f':
		address->file_id = (int32_t)number;
		break;
	case 'p':
		address->page_id = number;
		break;
	case 'o':
		address->object_id = number;
		break;
	case 'h':
		address->hobt_id = number;
		break;
	case 'i':
		address->partition = number;
		break;
	default:
		address->slot = (int32_t)number;
		break;
	}
}

/* Numbers separated by colons; what follows them must not belong to the last one. */
static bool read_fields(const char *text, const char *fields, size_t required,
			struct page_address *address, const char **rest)
{
	size_t count = 0;
	for (const char *field = fields; *field; field++) {
		if (field != fields && *text != ':')
			break;
		text += field != fields;
		int64_t number;
		if (!read_number(&text, field_limit(*field), &number))
			return false;
		set_field(address, *field, number);
		count++;
	}
	*rest = text;
	return count >= required && (!*text || strchr(" \t\r\n:([])", *text));
}

/* The ids of a page are from 1 up; 0:0:0 is what the server says when it did not keep them. */
static struct page_address judge_page(struct page_address address)
{
	if (address.database_id > 0 && address.file_id > 0)
		return address;
	bool is_nothing = address.database_id == 0 && address.file_id == 0 && address.page_id == 0;
	if (!is_nothing)
		return address_of_kind(RESOURCE_INVALID);
	address.kind = RESOURCE_NONE;
	return address;
}

/* "5:1:104", "(0:0:0)", "6:3:749442168 (LATCH 0x...": db:file:page and then anything. */
static struct page_address parse_page(const char *text, enum resource_kind kind)
{
	struct page_address address = address_of_kind(kind);
	const char *rest;
	text += *text == '(';
	if (!read_fields(skip_blanks(text), "dfp", 3, &address, &rest))
		return address_of_kind(RESOURCE_INVALID);
	rest = skip_blanks(rest);
	if (*rest && *rest != '(' && *rest != ')')
		return address_of_kind(RESOURCE_INVALID);
	return judge_page(address);
}

static struct page_address parse_colon_form(const struct form *form, const char *text)
{
	struct page_address address = address_of_kind(form->kind);
	const char *rest;
	if (!read_fields(skip_blanks(text), form->fields, form->required, &address, &rest) ||
	    address.database_id == 0)
		return address_of_kind(RESOURCE_INVALID);
	if (form->kind == RESOURCE_OBJECT_LOCK && strstr(rest, "[COMPILE]"))
		address.kind = RESOURCE_COMPILE_LOCK;
	return address;
}

/* Finds the number behind the last occurrence of key: names of applications come first and may
 * hold anything. */
static bool find_number(const char *text, const char *key, int64_t limit, int64_t *number)
{
	bool is_found = false;
	for (const char *at = text; (at = strstr(at, key)); at++) {
		const char *digits = at + strlen(key);
		if (read_number(&digits, limit, number))
			is_found = true;
	}
	return is_found;
}

static const char *field_key(char field)
{
	switch (field) {
	case 'd':
		return " dbid=";
	case 'f':
		return " fileid=";
	case 'p':
		return " pageid=";
	case 'o':
		return " objid=";
	default:
		return " hobtid=";
	}
}

static struct page_address parse_named_form(const struct form *form, const char *text)
{
	struct page_address address = address_of_kind(form->kind);
	size_t count = 0;
	for (const char *field = form->fields; *field; field++) {
		int64_t number = 0; /* gcc -O3 does not see that a found number is set */
		if (!find_number(text, field_key(*field), field_limit(*field), &number))
			continue;
		set_field(&address, *field, number);
		count++;
	}
	return count >= form->required ? address : address_of_kind(RESOURCE_INVALID);
}

/* "METADATA: database_id = 5 STATS(object_id = 940230800, stats_id = 8)" */
static struct page_address parse_metadata(const char *text)
{
	struct page_address address = address_of_kind(RESOURCE_METADATA_LOCK);
	int64_t number;
	if (find_number(text, "database_id = ", INT16_MAX, &number))
		address.database_id = (int32_t)number;
	if (find_number(text, "(object_id = ", INT64_MAX, &number))
		address.object_id = number;
	return address;
}

static bool ends_word(char byte)
{
	return !byte || byte == ' ' || byte == '\t';
}

static struct page_address parse_words(const char *wait_type, const char *text)
{
	if (starts_with(text, "METADATA:"))
		return parse_metadata(text);
	for (size_t i = 0; i < COUNT_OF(colon_forms); i++)
		if (starts_with(text, colon_forms[i].prefix))
			return parse_colon_form(&colon_forms[i],
						text + strlen(colon_forms[i].prefix));
	for (size_t i = 0; i < COUNT_OF(named_forms); i++)
		if (starts_with(text, named_forms[i].prefix) &&
		    ends_word(text[strlen(named_forms[i].prefix)]))
			return parse_named_form(&named_forms[i], text);
	if (strcmp(wait_type, "OLEDB") == 0 || strstr(text, "(SPID="))
		return address_of_kind(RESOURCE_LINKED_SERVER);
	return address_of_kind(RESOURCE_UNKNOWN);
}

/* "NESTING_TRANSACTION_FULL (000001F2D801C8C8)": the class is the text up to the first blank. */
static struct page_address parse_latch(const char *text)
{
	if (!(*text >= 'A' && *text <= 'Z') && !(*text >= 'a' && *text <= 'z'))
		return address_of_kind(RESOURCE_UNKNOWN);
	struct page_address address = address_of_kind(RESOURCE_LATCH_CLASS);
	size_t size = strcspn(text, " \t");
	if (size >= sizeof(address.latch_class))
		size = sizeof(address.latch_class) - 1;
	memcpy(address.latch_class, text, size);
	return address;
}

static bool is_page_latch(const char *wait_type)
{
	return starts_with(wait_type, "PAGELATCH_") || starts_with(wait_type, "PAGEIOLATCH_");
}

struct page_address page_address_parse(const char *wait_type, const char *text)
{
	wait_type = wait_type ? wait_type : "";
	text = text ? skip_blanks(text) : "";
	if (!*text)
		return address_of_kind(RESOURCE_NONE);
	if (*text == '{')
		return address_of_kind(RESOURCE_GUID);
	if (starts_with(wait_type, "LATCH_"))
		return parse_latch(text);
	bool is_lock = starts_with(wait_type, "LCK_");
	if (strchr("0123456789:-+(", *text))
		return parse_page(text, is_lock ? RESOURCE_PAGE_LOCK : RESOURCE_PAGE);
	if (is_page_latch(wait_type) && starts_with(text, "PAGE:"))
		return parse_page(skip_blanks(text + strlen("PAGE:")), RESOURCE_PAGE);
	return parse_words(wait_type, text);
}

const char *resource_kind_name(enum resource_kind kind)
{
	return kind_names[kind];
}
