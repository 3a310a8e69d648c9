/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and announces the keytab. Runs in main and in the threads that log in. */
#include "daemon/keytab.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first byte of a keytab is 5; the second its version, 1 or 2. */
enum { KEYTAB_MAGIC = 5, KEYTAB_VERSION_MAX = 2, HEAD_SIZE = 2 };

static bool check_open_file(int fd, const char *path, struct error *err)
{
	uint8_t head[HEAD_SIZE] = {0};
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0)
		return error_set(err, ERROR_IO, errno, "keytab '%s': %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return error_set(err, ERROR_INVALID, 0, "keytab '%s' is no file", path);
	if (status.st_mode & S_IRWXO)
		return error_set(err, ERROR_INVALID, 0,
				 "keytab '%s' is open to everybody on this machine: chmod o= '%s'",
				 path, path);
	if (read(fd, head, HEAD_SIZE) != HEAD_SIZE || head[0] != KEYTAB_MAGIC || head[1] == 0 ||
	    head[1] > KEYTAB_VERSION_MAX)
		return error_set(err, ERROR_INVALID, 0, "'%s' is no keytab", path);
	return true;
}

bool keytab_check(const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_good = check_open_file(fd, path, err);

	if (fd >= 0)
		(void)close(fd); /* it was only read */
	return is_good;
}

void keytab_use(const char *path)
{
	/* They fail for want of memory only, and then the first login says so. */
	(void)setenv("KRB5_CLIENT_KTNAME", path, 1);
	(void)setenv("KRB5CCNAME", "MEMORY:latchd", 1);
}
