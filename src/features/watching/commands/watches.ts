import { isDirect, type Message } from '@signalman/slack'
import { choice, type Parameter, parameter } from '../../../bot/grammar/parameters.ts'
import { ALL_WORDS, ANY_CHECKS, id } from '../../../bot/grammar/vocabulary.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../../bot/typed/fields.ts'
import { createSharedMeanwhile, requireAgreement, requireChannel, requireMember } from '../channel.ts'
import { askBeforeEnd, findWatchesToEnd, isWatchNamed } from '../find-watches-to-end.ts'
import { openWatch } from '../forms/watch.ts'
import { readHistory } from '../read-history.ts'
import { readWatches } from '../read-watches.ts'
import { CHANNEL_FIELD, parseWatch, WATCH_FLAGS } from '../rules/watch-fields.ts'
import { endWatches, saveWatch, type WatchDeps } from '../save-watch.ts'
import { resumedView } from '../views/outcomes.ts'
import { watchesView } from '../views/watches.ts'

export const WATCHED: readonly Parameter[] = ANY_CHECKS.map((checks) => ({
  ...checks,
  ...(checks.kind === 'pattern' && { flag: 'name', many: true as const }),
}))

export const CHANNEL = parameter('channel', 'channel', { flag: 'channel' })

/** Throws UserError if a line is about a channel, and there is none. */
const requireChannelOf: NonNullable<VerbDeclaration['requirePlace']> = (context, { flags }) => {
  requireChannel(context, readFields(CHANNEL_FIELD, flags))
}

/** The channel and what to leave out: `in #ops`, `except test*`. */
const WATCHED_WHERE: readonly Parameter[] = [
  ...WATCHED,
  parameter('not', 'pattern', { flag: 'not', after: 'except', many: true }),
  CHANNEL,
]

export const watchingCommands = (deps: WatchDeps): VerbDeclaration[] => [
  ...watchCommands(deps),
  ...watchWindowCommands(deps),
  {
    line: '/hc history',
    parameters: [...ANY_CHECKS, parameter('period', 'period')],
    description: 'Show recent outages and uptime',
    needs: 'viewer',
    guests: true,
    shares: true,
    example: 'history shop* last 30 days',
    flags: flagSpecs(PAGE_FIELDS),
    run: (context, args) => readHistory(deps, context, args, readFields(PAGE_FIELDS, args.flags).page),
  },
]

function watchCommands(deps: WatchDeps): VerbDeclaration[] {
  const { watching } = deps
  return [
    {
      line: '/hc watch',
      parameters: WATCHED_WHERE,
      description:
        'Post in this channel when health checks go down and recover: all of them, one, or those that match',
      needs: 'operator',
      requirePlace: requireChannelOf,
      isAct: true,
      example: 'watch web-* --not web-test*',
      flags: WATCH_FLAGS,
      // Without arguments, it would watch everything, so a window opens instead.
      redirect: ({ values, lists, flags: { env: _env, ...flags } }) =>
        [values, lists, flags].every((typed) => Object.keys(typed).length === 0) ? 'watch-edit' : undefined,
      run: (context, args) => saveWatch(deps, context, parseWatch(args, deps.pollMs)),
    },

    {
      line: '/hc unwatch',
      parameters: [...ANY_CHECKS, CHANNEL],
      description: 'End a watch of this or another channel',
      needs: 'operator',
      // Without a watch, it only asks.
      isAct: isWatchNamed,
      requirePlace(context, args) {
        if (args.flags.id === undefined) requireChannelOf(context, args)
      },
      flags: {
        // Buttons say which watch they were for, or which watches “all” were.
        ...{ id: 'value', seen: 'value' },
        ...flagSpecs(CHANNEL_FIELD),
        yes: 'switch',
      },
      async run(context, args) {
        const ended = await context.once('watches', () => findWatchesToEnd(watching, context, args))
        if (args.flags.yes !== true) await askBeforeEnd(watching, context, ended, isWatchNamed(args))
        return endWatches(deps, context, ended)
      },
    },

    {
      line: '/hc watches',
      parameters: [choice('all', ALL_WORDS, { flag: 'all' })],
      description: 'Show what this channel, or every channel, watches and mutes',
      needs: 'viewer',
      guests: true,
      hasNoEnvironment: true,
      flags: {
        all: { type: 'switch', help: 'Show every channel' },
        ...flagSpecs(PAGE_FIELDS),
      },
      async run(context, { flags }) {
        const { channelId = '' } = context
        const isInChannel = channelId !== '' && !isDirect(channelId)
        const isWorkspaceWide = flags.all === true || !isInChannel
        return watchesView(await readWatches(deps, context, isWorkspaceWide ? undefined : channelId), {
          ...{ isWorkspaceWide, isInChannel, page: readFields(PAGE_FIELDS, flags).page },
        })
      },
    },
  ]
}

/** Verbs that only buttons use: the watch window, and resuming a channel. */
const watchWindowCommands = (deps: WatchDeps): VerbDeclaration[] => [
  {
    line: '/hc watch-edit',
    parameters: WATCHED_WHERE,
    description: 'Create or change a watch in a window',
    needs: 'operator',
    opensModal: true,
    hidden: true,
    label: 'edit the watch of',
    flags: WATCH_FLAGS,
    run: (context, args) => openWatch(deps, context, args),
  },

  {
    line: '/hc watch-resume',
    parameters: [id('channel', 'CHANNEL')],
    description: 'Resume the paused watches of a channel',
    needs: 'operator',
    isAct: true,
    hidden: true,
    label: 'resume posting in',
    flags: { yes: 'switch' },
    run: (context, { values: { channel: channelId = '' }, flags }) =>
      resumeWatches(deps, context, channelId, flags.yes === true),
  },
]

/** Resumes the paused watches of a channel. Throws UserError while the app can't post there. */
async function resumeWatches(
  deps: WatchDeps,
  context: CommandContext,
  channelId: string,
  isConfirmed: boolean,
): Promise<Message> {
  // The channel may have been shared with another organization since the pause.
  const channel = await requireMember(context, channelId)
  const line = `/hc watch-resume ${channelId}`
  const agreedOutsideAt = await requireAgreement(deps.watching, context, channel, { isConfirmed, line })
  await context.decide({ verb: '/hc watch-resume', object: `channel ${channelId}` }, async (decisions) => {
    const { channels } = deps.watching.within(decisions)
    if (!(await channels.resume(channelId, { ...channel, agreedOutsideAt })))
      throw createSharedMeanwhile(line)
  })
  return resumedView(channelId, context.channelId)
}
