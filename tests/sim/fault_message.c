/* SPDX-License-Identifier: Apache-2.0 */
/* The table of errors that the control socket can ask for by number alone. Pure. */
#include "tests/sim/fault_message.h"

static const struct {
	int32_t number;
	uint8_t severity;
	uint8_t state;
	bool is_at_login;
	const char *text;
} messages[] = {
	{229, 14, 5, false, "The SELECT permission was denied on the object."},
	{297, 16, 1, false, "The user does not have permission to perform this action."},
	{300, 14, 1, false,
	 "VIEW SERVER STATE permission was denied on object 'server', database 'master'."},
	{976, 14, 1, true,
	 "The target database, 'Sales', is participating in an availability group and is "
	 "currently not accessible for queries. Either data movement is suspended or the "
	 "availability replica is not enabled for read access. To allow read-only access to this "
	 "and other databases in the availability group, enable read access to one or more "
	 "secondary availability replicas in the group. For more information, see the ALTER "
	 "AVAILABILITY GROUP statement in SQL Server Books Online."},
	{1205, 13, 51, false,
	 "Transaction (Process ID 57) was deadlocked on lock resources with another process and "
	 "has been chosen as the deadlock victim. Rerun the transaction."},
	{1222, 16, 51, false, "Lock request time out period exceeded."},
	{4060, 11, 1, true,
	 "Cannot open database \"Sales\" requested by the login. The login failed."},
	{18456, 14, 1, true, "Login failed for user 'latchd'."},
	{40613, 17, 1, true,
	 "Database 'Sales' on server 'simulator' is not currently available. Please retry the "
	 "connection later. If the problem persists, contact customer support, and provide them "
	 "the session tracing ID of '{00000000-0000-0000-0000-000000000000}'."},
};

bool fault_message_find(int32_t number, struct sql_message *message, bool *is_at_login)
{
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		if (messages[i].number != number)
			continue;
		*message = (struct sql_message){.number = number,
						.severity = messages[i].severity,
						.state = messages[i].state,
						.text = messages[i].text,
						.line = 1};
		*is_at_login = messages[i].is_at_login;
		return true;
	}
	return false;
}
