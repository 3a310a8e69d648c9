/* SPDX-License-Identifier: Apache-2.0 */
/* Reads small files and holds some that have no place on a disk. Any thread. */
#include "daemon/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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

static bool write_all(int fd, const struct strbuf *text)
{
	for (size_t done = 0; done < text->size;) {
		ssize_t size = write(fd, text->data + done, text->size - done);
		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0)
			return false;
		done += (size_t)size;
	}
	return true;
}

bool file_hold(const char *name, const struct strbuf *text, struct held_file *held,
	       struct error *err)
{
	held->fd = memfd_create(name, MFD_CLOEXEC);
	if (held->fd < 0 || !write_all(held->fd, text))
		return error_set(err, ERROR_IO, errno, "cannot keep '%s' in memory: %s", name,
				 strerror(errno));
	snprintf(held->path, sizeof(held->path), "/proc/self/fd/%d", held->fd);
	return true;
}

void file_release(struct held_file *held)
{
	close_fdp(&held->fd);
	*held = HELD_FILE_NONE;
}
