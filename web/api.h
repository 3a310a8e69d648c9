/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of the routes, one file api_<route>.c each. They read the store through a borrowed
 * reader and storage/live, and fill the response; they know no HTTP library. All of them: Owns: the
 * caller ends response. Threads: the web threads; may block up to READER_WAIT_MS for a reader.
 */
#pragma once

#include "web/context.h"

route_fn api_page;
route_fn api_asset_css;
route_fn api_asset_js;
route_fn api_asset_icon;

route_fn api_healthy;
route_fn api_ready;
route_fn api_status;

route_fn api_targets;
route_fn api_target;

route_fn api_waits;
route_fn api_latches;
route_fn api_spinlocks;
route_fn api_waits_top;
route_fn api_latches_top;
route_fn api_spinlocks_top;

route_fn api_hotspots;
route_fn api_tasks;
route_fn api_events;
route_fn api_alerts;
