import { bindForm, feature, providePort } from '../../bot/feature.ts'
import * as ports from '../../bot/ports.ts'
import { createMaintenanceMatcher, loadCheckNotes } from './check-notes.ts'
import { watchHomeSections, watchingCommands } from './commands/watches.ts'
import { watchForm } from './forms/watch.ts'
import { createOutageHandOver, createWatchHandOver } from './hand-over-watching.ts'
import { onCallCommands, onCallHomeSections } from './on-call/commands/on-call.ts'
import { maintenanceForm } from './on-call/forms/maintenance.ts'
import { startLatePolls } from './polling/late-polls.ts'
import type { LeasedScopes } from './polling/leased-scopes.ts'
import { watchRenderer } from './renderer.ts'
import { WATCH_TABLES } from './rows/tables.ts'
import { readWatchStats } from './rows/watch-stats.ts'
import { createWatchStore, type WatchStore } from './rows/watching.ts'
import { handleSlackChanges } from './slack-changes.ts'
import { createWatchingWork } from './watching-work.ts'

/** Watching: polls health checks, and posts and updates cards about outages in the channels that watch them. */
export const watching = feature<{ readonly watching: WatchStore }>({
  name: 'watching',
  tables: WATCH_TABLES,
  open({ database, time, cache, now }) {
    const watching = createWatchStore(database, time, cache)
    return {
      rows: { watching },
      onSharedChannel: (workspaceId, channelId) =>
        watching.watches.pauseSharedChannel(workspaceId, channelId, { now: now(), revokesConsent: false }),
      stats: () => readWatchStats(database, time),
    }
  },
  provides: [
    providePort(
      ports.checkNotes,
      ({ rows }) =>
        (context, check) =>
          loadCheckNotes(rows.watching, context, check),
    ),
    providePort(ports.watchedChecks, ({ rows: { watching } }) => ({
      ...watching.history,
      inMaintenance: createMaintenanceMatcher(watching),
    })),
    providePort(ports.moveWatches, ({ rows }) => rows.watching.moveWatches),
  ],
  start(context) {
    const { store, config, posting, getApi, engine, log, reachability } = context
    const { watching } = context.rows
    const leased: LeasedScopes = new Map()
    const intervalMs = config.pollMs
    const { wake } = engine
    const deps = { watching, reachability }
    return {
      commands: [
        ...watchingCommands({ ...deps, findDeleted: context.use(ports.deletedChecks) }),
        ...onCallCommands(deps),
      ],
      forms: [
        bindForm(watchForm, deps),
        bindForm(maintenanceForm, { watching }),
      ],
      home: [...onCallHomeSections(deps), ...watchHomeSections(deps)],
      handOver: [
        createOutageHandOver({ watching, reachability, wake }),
        createWatchHandOver({ watching }),
      ],
      work: createWatchingWork({
        watching,
        steps: store.recordedSteps,
        posting,
        renderer: watchRenderer,
        getApi,
        getSlack: (workspace) => context.clients.forWorkspace(workspace),
        reachability,
        leased,
        intervalMs,
        wake,
        log,
      }),
      slackChangeHandlers: handleSlackChanges(context),
      background() {
        const latePolls = startLatePolls({ polls: watching.polls, leased, intervalMs, wake, log })
        return {
          ready: {
            // Covers the polls of this process, and overdue ones that no process runs.
            async polls() {
              if (latePolls.count() > 0) throw new Error('Polls of watched checks are late.')
            },
          },
          gauges: {
            overdueEnvironments: () => latePolls.count(),
            pollLagSeconds: () => latePolls.lagSeconds(),
          },
          [Symbol.dispose]: () => latePolls[Symbol.dispose](),
        }
      },
    }
  },
})
