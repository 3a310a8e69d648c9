/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes small files. Any thread. */
#include "daemon/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK_SIZE = 16384 };

static void close_fdp(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

bool file_read(const char *path, size_t size_max, struct strbuf *text, struct error *err)
{
	CLEANUP(close_fdp) int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_set(err, ERROR_IO, errno, "cannot open '%s': %s", path,
				 strerror(errno));
	for (;;) {
		char *room = strbuf_reserve(text, CHUNK_SIZE);
		ssize_t size = read(fd, room, CHUNK_SIZE);
		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0)
			return error_set(err, ERROR_IO, errno, "cannot read '%s': %s", path,
					 strerror(errno));
		if (size == 0)
			return true;
		strbuf_grew(text, (size_t)size);
		if (text->size > size_max)
			return error_set(err, ERROR_FULL, 0, "'%s' is longer than %zu bytes", path,
					 size_max);
	}
}

bool file_write_private(const char *path, const struct strbuf *text, struct error *err)
{
	CLEANUP(close_fdp) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return error_set(err, ERROR_IO, errno, "cannot create '%s': %s", path,
				 strerror(errno));
	for (size_t done = 0; done < text->size;) {
		ssize_t size = write(fd, text->data + done, text->size - done);
		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0)
			return error_set(err, ERROR_IO, errno, "cannot write '%s': %s", path,
					 strerror(errno));
		done += (size_t)size;
	}
	return true;
}
