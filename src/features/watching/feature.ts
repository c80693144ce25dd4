import { feature, providePort } from '../../bot/feature.ts'
import { bindForm } from '../../bot/forms/form.ts'
import * as ports from '../../bot/ports.ts'
import type { Topic } from '../../bot/routes/routes.ts'
import { createChangePort, createSilencePort, createTakePort, loadCheckNotes } from './check-notes.ts'
import { createHomeSection, onItCommands } from './commands/on-it.ts'
import { silenceCommands } from './commands/silences.ts'
import { watchingCommands } from './commands/watches.ts'
import { createFindNearby } from './find-card.ts'
import { watchForm } from './forms/watch.ts'
import { createFindAddress } from './message-address.ts'
import { eraseFromPosts } from './rows/say.ts'
import { WATCH_TABLES } from './rows/tables.ts'
import { createWatchStore, type WatchStore } from './rows/watching.ts'
import { maintenanceForm } from './silences/form.ts'
import { handleSlackChanges } from './slack-changes.ts'
import { createWatchingWork } from './watching-work.ts'

const TOPIC: Topic = {
  command: 'hc',
  about: /^(?:(?:un)?watch\w*|(?:un)?mut(?:e|es|ed)|maintenance|downtime|planned)$/i,
  buttons: [
    { label: 'Watches and mutes', line: '/hc watches' },
    { label: 'Maintenance…', line: '/hc maintenance' },
  ],
}

/** Watching: polls health checks, and posts and updates cards about outages in the channels that watch them. */
export const watching = feature<{ readonly watching: WatchStore }>({
  name: 'watching',
  tables: WATCH_TABLES,
  open({ database, time, now }) {
    const watching = createWatchStore(database, time)
    return {
      rows: { watching },
      onSharedChannel: (workspaceId, channelId) =>
        watching.channels.pause(workspaceId, channelId, 'shared-outside', { now: now() }),
      stats: watching.readStats,
      erasePerson: async (workspaceId, person) => ({
        messages: await eraseFromPosts(database, workspaceId, person),
      }),
    }
  },
  provides: [
    providePort(
      ports.checkNotes,
      ({ rows: { watching }, clients, log }) =>
        (context, check) =>
          loadCheckNotes({ watching, findAddress: createFindAddress(clients, log) }, context, check),
    ),
    providePort(ports.watchedChecks, ({ rows: { watching } }) => ({
      ...watching.history,
      ...createSilencePort(watching),
      ...createTakePort(watching),
      ...createChangePort(watching),
    })),
  ],
  start(context) {
    const { store, config, posting, clients, getApi, engine, log, reachability, now } = context
    const { watching } = context.rows
    const { wake } = engine
    const findAddress = createFindAddress(clients, log)
    const { pollMs } = config
    const deps = { watching, reachability, findAddress, pollMs }
    const slackChangeHandlers = handleSlackChanges(context)
    return {
      commands: [...watchingCommands(deps), ...silenceCommands(deps), ...onItCommands(deps)],
      forms: [bindForm(watchForm, deps), bindForm(maintenanceForm, deps)],
      home: [{ group: 'for you', section: createHomeSection(deps) }],
      nearby: createFindNearby(watching),
      topics: [TOPIC],
      work: createWatchingWork({
        ...{ ...deps, steps: store.steps, intervalMs: pollMs },
        ...{ posting, clients, getApi, wake, log, now },
        checkPerson: slackChangeHandlers.onPersonChanged,
      }),
      slackChangeHandlers,
    }
  },
})
