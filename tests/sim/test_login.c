/* SPDX-License-Identifier: Apache-2.0 */
/* LOGIN7 and PRELOGIN as clients send them, and as they should not. */
#include <string.h>

#include "tests/sim/login.h"
#include "tests/sim/prelogin.h"
#include "tests/support.h"

enum { FIXED_SIZE = 94 };

/* A login message whose fields are those of the five names; password is given as it travels. */
static void build_login(struct buffer *bytes, const char *const *names, const uint8_t *password,
			size_t password_units)
{
	static const size_t fields[] = {36, 40, 48, 68};
	uint8_t fixed[FIXED_SIZE] = {0};
	memcpy(fixed + 4, (const uint8_t[]){4, 0, 0, 0x74, 0, 0x10, 0, 0}, 8);
	buffer_add(bytes, fixed, sizeof(fixed));
	for (size_t i = 0; i < 4; i++) {
		buffer_set_u16(bytes, fields[i], (uint16_t)bytes->size);
		buffer_set_u16(bytes, fields[i] + 2, (uint16_t)strlen(names[i]));
		for (const char *at = names[i]; *at; at++)
			buffer_add_u16(bytes, (uint8_t)*at);
	}
	buffer_set_u16(bytes, 44, (uint16_t)bytes->size);
	buffer_set_u16(bytes, 46, (uint16_t)password_units);
	buffer_add(bytes, password, 2 * password_units);
	buffer_set_u16(bytes, 0, (uint16_t)bytes->size);
}

static const char *const names[] = {"host", "latchd", "app", "sales"};

/* "aB" : 61 00 42 00, nibbles swapped, then XOR A5. */
static const uint8_t password[] = {0xB3, 0xA5, 0x81, 0xA5};

static void login_yields_its_fields(void **state)
{
	(void)state;
	struct buffer bytes = {0};
	struct login login;
	build_login(&bytes, names, password, 2);
	assert_true(login_decode(bytes.bytes, bytes.size, &login));
	assert_int_equal(login.tds_version, 0x74000004);
	assert_int_equal(login.packet_size, 4096);
	assert_string_equal(login.host_name, "host");
	assert_string_equal(login.user, "latchd");
	assert_string_equal(login.password, "aB");
	assert_string_equal(login.program_name, "app");
	assert_string_equal(login.database, "sales");
	buffer_done(&bytes);
}

static void login_cut_anywhere_is_refused(void **state)
{
	(void)state;
	struct buffer bytes = {0};
	struct login login;
	build_login(&bytes, names, password, 2);
	for (size_t size = 0; size < bytes.size; size++)
		assert_false(login_decode(bytes.bytes, size, &login));
	buffer_done(&bytes);
}

static void field_outside_the_message_is_refused(void **state)
{
	(void)state;
	struct buffer bytes = {0};
	struct login login;
	build_login(&bytes, names, password, 2);
	buffer_set_u16(&bytes, 40, 0xFFFF);
	assert_false(login_decode(bytes.bytes, bytes.size, &login));
	buffer_set_u16(&bytes, 40, 0);
	buffer_set_u16(&bytes, 42, 129);
	assert_false(login_decode(bytes.bytes, bytes.size, &login));
	buffer_done(&bytes);
}

static void version_is_the_lower_of_both(void **state)
{
	(void)state;
	assert_int_equal(login_version_negotiate(0x71000001), 0);
	assert_int_equal(login_version_negotiate(0x730B0003), 0x730B0003);
	assert_int_equal(login_version_negotiate(0x74000004), 0x74000004);
	assert_int_equal(login_version_negotiate(0x80000000), 0x74000004);
}

static void prelogin_without_certificate_answers_not_supported(void **state)
{
	(void)state;
	const uint8_t request[] = {1, 0, 11, 0, 1, 6, 0, 12, 0, 1, 0xFF, 1, 1};
	struct prelogin prelogin;
	struct buffer answer = {0};
	assert_true(prelogin_decode(request, sizeof(request), &prelogin));
	assert_int_equal(prelogin.encryption, 1);
	prelogin_add_answer(&answer, &prelogin, prelogin_choose(&prelogin, ENCRYPTION_OFF));
	/* Six options of five bytes, their end, then the data: 6 of version, then encryption. */
	assert_int_equal(answer.size, 6 * 5 + 1 + 6 + 1 + 1 + 1 + 1);
	assert_int_equal(answer.bytes[30], 0xFF);
	assert_int_equal(answer.bytes[37], 2);
	buffer_done(&answer);
}

static void prelogin_answers_federation_only_if_asked(void **state)
{
	(void)state;
	const uint8_t request[] = {1, 0, 6, 0, 1, 0xFF, 2};
	struct prelogin prelogin;
	struct buffer answer = {0};
	assert_true(prelogin_decode(request, sizeof(request), &prelogin));
	prelogin_add_answer(&answer, &prelogin, prelogin_choose(&prelogin, ENCRYPTION_OFF));
	assert_int_equal(answer.bytes[25], 0xFF);
	buffer_done(&answer);
}

static void policy_and_wish_decide_what_is_encrypted(void **state)
{
	static const struct {
		uint8_t wish;
		enum encryption_policy policy;
		enum prelogin_encryption answer;
	} cases[] = {
		{PRELOGIN_ENCRYPT_ALL, ENCRYPTION_OFF, PRELOGIN_ENCRYPT_NOT_SUPPORTED},
		{PRELOGIN_ENCRYPT_LOGIN, ENCRYPTION_LOGIN, PRELOGIN_ENCRYPT_LOGIN},
		{PRELOGIN_ENCRYPT_ALL, ENCRYPTION_LOGIN, PRELOGIN_ENCRYPT_ALL},
		{PRELOGIN_ENCRYPT_NOT_SUPPORTED, ENCRYPTION_LOGIN, PRELOGIN_ENCRYPT_NOT_SUPPORTED},
		{PRELOGIN_ENCRYPT_LOGIN, ENCRYPTION_REQUIRED, PRELOGIN_ENCRYPT_REQUIRED},
		{PRELOGIN_ENCRYPT_ALL, ENCRYPTION_REQUIRED, PRELOGIN_ENCRYPT_ALL},
		{PRELOGIN_ENCRYPT_NOT_SUPPORTED, ENCRYPTION_REQUIRED, PRELOGIN_ENCRYPT_REQUIRED},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct prelogin prelogin = {.encryption = cases[i].wish};
		assert_int_equal(prelogin_choose(&prelogin, cases[i].policy), cases[i].answer);
	}
}

static void prelogin_cut_anywhere_is_refused(void **state)
{
	(void)state;
	const uint8_t request[] = {1, 0, 6, 0, 1, 0xFF, 2};
	struct prelogin prelogin;
	for (size_t size = 0; size < sizeof(request); size++)
		assert_false(prelogin_decode(request, size, &prelogin));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(login_yields_its_fields),
		cmocka_unit_test(login_cut_anywhere_is_refused),
		cmocka_unit_test(field_outside_the_message_is_refused),
		cmocka_unit_test(version_is_the_lower_of_both),
		cmocka_unit_test(prelogin_without_certificate_answers_not_supported),
		cmocka_unit_test(prelogin_answers_federation_only_if_asked),
		cmocka_unit_test(policy_and_wish_decide_what_is_encrypted),
		cmocka_unit_test(prelogin_cut_anywhere_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
