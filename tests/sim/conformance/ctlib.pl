#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# DBD::Sybase, which is built on ct-lib, against the section [sim] of FREETDSCONF. Ends with 0 when
# everything is as it should be, and says what is not.
use strict;
use warnings;
use DBI;

my $failed = 0;

sub is {
	my ($got, $wanted, $name) = @_;
	return if $got eq $wanted;
	print "FAILED $name: got '$got', wanted '$wanted'\n";
	$failed = 1;
}

my $db = DBI->connect('dbi:Sybase:server=sim', 'latchd', 'latchd', {RaiseError => 1, PrintError => 0});
my $waits = $db->selectall_arrayref("SELECT wait_type, wait_time_ms FROM sys.dm_os_wait_stats WHERE wait_type LIKE 'PAGELATCH%'");
is(scalar(@$waits) >= 6, 1, 'waits are read');

my @row = $db->selectrow_array("SELECT 1 AS i, NULL AS n, 2.5 AS f, N'text' AS t, CAST(1 AS bit) AS b");
is(join('|', map { defined $_ ? $_ : 'null' } @row), '1|null|2.5|text|1', 'types are read');

# Placeholders are prepared on the server: sp_prepare and sp_execute. All rows are read, for ct-lib
# sends nothing when a statement is executed again that was cancelled.
my $statement = $db->prepare("SELECT CAST(? AS int) + 1, CAST(? AS nvarchar(40))");
for my $number (1, 41) {
	$statement->execute($number, "n$number");
	my $answer = $statement->fetchall_arrayref;
	is(join('|', map { @$_ } @$answer), ($number + 1) . "|n$number", "prepared with $number");
}

$db->do('BEGIN TRANSACTION');
is(($db->selectrow_array('SELECT @@TRANCOUNT'))[0], 1, 'a transaction is open');
$db->do('ROLLBACK TRANSACTION');
is(($db->selectrow_array('SELECT @@TRANCOUNT'))[0], 0, 'no transaction is open');

eval { $db->selectall_arrayref('SELECT * FROM sys.nothing') };
is($db->err // 'none', 208, 'an error has its number');
is(($db->selectrow_array('SELECT 7'))[0], 7, 'the session goes on');

my @size = $db->selectrow_array('SELECT net_packet_size FROM sys.dm_exec_connections WHERE session_id = @@SPID');
is($size[0], $ENV{SIM_GRANTED_SIZE}, 'packets have the size');

$db->disconnect;
exit $failed;
