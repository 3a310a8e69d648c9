/* SPDX-License-Identifier: Apache-2.0 */
/* Who takes gzip, and what is compressed. */
#include "web/request.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "tests/support.h"

static void accept_encoding_is_weighed(void **state)
{
	(void)state;
	static const struct {
		const char *header;
		bool takes;
	} cases[] = {
		{NULL, false},
		{"", false},
		{"gzip", true},
		{"br, gzip", true},
		{"GZIP;q=0.5", true},
		{"gzip;q=0", false},
		{"gzip; q=0.0", false},
		{"gzipped", false},
		{"br;q=1, deflate", false},
		{"deflate,gzip;q=1", true},
		{"identity , gzip ; q=1", true},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct request request = {.accept_encoding = cases[i].header};
		if (request_accepts_gzip(&request) != cases[i].takes)
			fail_msg("'%s'", cases[i].header ? cases[i].header : "(none)");
	}
}

static void large_bodies_are_compressed_and_come_back(void **state)
{
	(void)state;
	const struct request request = {.accept_encoding = "gzip"};
	struct response response = {0};
	for (int i = 0; i < 1000; i++)
		strbuf_addf(&response.body, "%d,", i);
	const size_t size = response.body.size;
	response_compress(&response, &request);
	assert_string_equal(response_header(&response, "content-encoding"), "gzip");
	assert_string_equal(response_header(&response, "vary"), "Accept-Encoding");
	assert_true(response.body.size < size);
	char back[8192];
	z_stream stream = {.next_in = (Bytef *)response.body.data,
			   .avail_in = (uInt)response.body.size,
			   .next_out = (Bytef *)back,
			   .avail_out = sizeof(back)};
	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	assert_int_equal(stream.total_out, size);
	assert_memory_equal(back, "0,1,2,3,", 8);
	inflateEnd(&stream);
	response_done(&response);
}

static void small_or_unwanted_bodies_stay_as_they_are(void **state)
{
	(void)state;
	const struct request takes = {.accept_encoding = "gzip"};
	const struct request refuses = {0};
	struct response response = {0};
	strbuf_adds(&response.body, "small");
	response_compress(&response, &takes);
	assert_null(response_header(&response, "Content-Encoding"));
	while (response.body.size <= 1024)
		strbuf_adds(&response.body, "larger ");
	response_compress(&response, &refuses);
	assert_null(response_header(&response, "Content-Encoding"));
	assert_non_null(response_header(&response, "Vary"));
	response_done(&response);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accept_encoding_is_weighed),
		cmocka_unit_test(large_bodies_are_compressed_and_come_back),
		cmocka_unit_test(small_or_unwanted_bodies_stay_as_they_are),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
