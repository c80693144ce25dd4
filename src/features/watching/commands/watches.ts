import type { Routes } from '../../../bot/routes/routes.ts'
import { applyWatches } from '../files/apply-watches.ts'
import { exportWatches } from '../files/export-watches.ts'
import { importWatchesForm, importWatchesModal } from '../files/forms.ts'
import { findWatches } from '../find-watches.ts'
import { watchForm } from '../forms/watch.ts'
import { readHomeWatches } from '../home-watches.ts'
import { endWatches, watchHere } from '../keep-watch.ts'
import { openWatch } from '../open-watch.ts'
import { parseWatch, WATCH_FLAGS } from '../parse/watch-line.ts'
import { readWatches } from '../read-watches.ts'
import { resumeWatches } from '../resume-watches.ts'
import { sendTest } from '../send-test.ts'
import { homeWatchBlocks } from '../views/home.ts'
import { watchesView } from '../views/watches.ts'
import { muteCommands, type WatchCommandParts } from './mutes.ts'

const WATCH_USAGE =
  '[NAME|UUID|glob*] [--not glob*] [--status S] [--protocol P] [--target T] [--customer N] [--after N] [--notify once|every] [--remind HOURS] [--digest HOUR] [--zone ZONE]'

/** `/hc watch`, `unwatch` and `watches`: what a channel is told by itself. */
export function watchingCommands(routes: Routes, parts: WatchCommandParts): void {
  const { watching } = parts
  routes.verb({
    command: 'hc',
    verb: 'watch',
    usage: `watch ${WATCH_USAGE}`,
    does: 'Tell this channel when health checks go down and come up: all of them, one, or those that fit',
    needs: 'operator',
    acts: true,
    example: 'watch web-* --not web-test* --after 2',
    flags: WATCH_FLAGS,
    run: (context, args) => watchHere(parts, context, parseWatch(args)),
  })

  routes.verb({
    command: 'hc',
    verb: 'unwatch',
    usage: 'unwatch [NAME|UUID|glob*|all]',
    does: 'End a watch of this channel',
    needs: 'operator',
    acts: true,
    async run(context, { words }) {
      return endWatches(
        parts,
        context,
        await context.keep('watches', () => findWatches(watching, context, words)),
      )
    },
  })

  routes.verb({
    command: 'hc',
    verb: 'watches',
    usage: 'watches [--all] [--export]',
    does: 'Show what this channel, or every channel, watches and mutes; send it as a file',
    needs: 'viewer',
    redraws: true,
    acts: ({ flags }) => flags.export === true,
    flags: { all: 'switch', export: 'switch' },
    async run(context, { flags }) {
      if (flags.export) return exportWatches(watching, context)
      const isWhole = flags.all === true || !context.channelId
      return watchesView(
        await readWatches(watching, context, isWhole ? undefined : context.channelId),
        isWhole,
      )
    },
  })

  routes.homeSection(async (context) => homeWatchBlocks(await readHomeWatches(watching, context)))
  watchWindowCommands(routes, parts)
  muteCommands(routes, parts)
}

/** Verbs that only buttons use: the window of a watch, a test, resuming a channel, and a file. */
function watchWindowCommands(routes: Routes, parts: WatchCommandParts): void {
  const { watching } = parts
  routes.verb({
    command: 'hc',
    verb: 'watch-edit',
    usage: 'watch-edit [ID] [filters]',
    does: 'Make or change a watch in a window, with a preview',
    needs: 'operator',
    opens: true,
    hidden: true,
    flags: WATCH_FLAGS,
    run: (context, args) => openWatch(watching, context, args),
  })

  routes.verb({
    command: 'hc',
    verb: 'watch-test',
    usage: 'watch-test [ID]',
    does: 'Post a test of what a channel would be told',
    needs: 'operator',
    acts: true,
    hidden: true,
    flags: { yes: 'switch' },
    run: (context, { words: [id], flags }) => sendTest(parts, context, id, flags.yes === true),
  })

  routes.verb({
    command: 'hc',
    verb: 'watch-resume',
    usage: 'watch-resume CHANNEL',
    does: 'Let the paused watches of a channel tell again',
    needs: 'operator',
    acts: true,
    hidden: true,
    run: (context, { words: [channelId = ''] }) => resumeWatches(parts, context, channelId),
  })

  routes.verb({
    command: 'hc',
    verb: 'watch-import',
    usage: 'watch-import',
    does: 'Make watches from a file, after a dry run',
    needs: 'operator',
    opens: true,
    hidden: true,
    run: async () => importWatchesModal(),
  })

  routes.verb({
    command: 'hc',
    verb: 'watch-apply',
    usage: 'watch-apply STATE',
    does: 'Make the watches of a file that was tried',
    needs: 'operator',
    acts: true,
    hidden: true,
    run: (context, { words: [stateId = ''] }) => applyWatches(parts, context, stateId),
  })

  routes.form(watchForm(parts))
  routes.form(importWatchesForm(parts))
}
