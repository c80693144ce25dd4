import { MINUTE_MS, UserError } from '@signalman/runtime'
import { clip, oneLine } from '@signalman/slack'
import type { FlagSpecs } from '../../../bot/grammar/flags.ts'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import {
  choiceField,
  describeFields,
  type FieldTable,
  flagSpecs,
  forButtons,
  numberField,
  parsedTextField,
  readFields,
  textField,
  writeFields,
} from '../../../bot/typed/fields.ts'
import { hashVersion } from '../../../bot/windows/window-states.ts'
import { ENVIRONMENTS, type Environment } from '../../../domain/environment.ts'
import { MAX_BAD_POLLS } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import { pluralize } from '../../../domain/wording.ts'
import { FILTER, type FilterValues, toFilter, toFilterKey, toFilterValues } from './filter-fields.ts'
import { describePageSteps, formatPageSteps, parsePageSteps } from './page-step.ts'
import { parseRunbook } from './runbook.ts'
import type { WatchRule, WatchSettings } from './watch.ts'

/** The notification settings of a watch. Missing ones have their default value. */
type NotifyValues = Partial<Omit<WatchSettings, 'filter'>>

/** Where a watch posts, which watch to change, and the version that the window showed. */
interface ChannelValues {
  env?: Environment | undefined
  channel?: string | undefined
  /** The ID of the watch to change. */
  replace?: string | undefined
  /** The saved version that the window showed. A newer version isn't overwritten. */
  shownVersion?: string | undefined
}

export type WatchValues = FilterValues & NotifyValues & ChannelValues

const NOTIFY_FIELDS: FieldTable<NotifyValues> = {
  afterBadPolls: numberField('after', 'Times seen down before posting', {
    ...{ min: 1, max: MAX_BAD_POLLS, hint: `1 to ${MAX_BAD_POLLS}. Without it, the first time is enough.` },
    invalidMessage: `counts how often a health check is seen down, 1 to ${MAX_BAD_POLLS} times.`,
    describe: (count) => `posts after seeing it down ${pluralize(count, 'time')}`,
  }),
  page: parsedTextField('escalate', 'Page while nobody is on it', {
    valueName: '"10m @on-call, 30m @lead"',
    hint: 'How long to wait, and user groups or people. More steps after commas: 10m @on-call, 30m @lead. The last one repeats. Without it, nobody is paged.',
    read: parsePageSteps,
    write: formatPageSteps,
    describe: (steps) => `pages ${describePageSteps(steps)} while nobody is on it`,
  }),
  runbook: parsedTextField('runbook', 'Runbook', {
    valueName: 'URL',
    hint: 'A link to instructions for an outage. Every card shows it.',
    max: 500,
    placeholder: 'https://wiki.example.com/shop',
    read: parseRunbook,
    write: String,
    describe: (url) => `runbook ${url}`,
  }),
}

const CHANNEL_ID = /^#?([CG][A-Z0-9]{2,20})$/

export const CHANNEL_FIELD: FieldTable<Pick<ChannelValues, 'channel'>> = {
  channel: parsedTextField('channel', 'Channel', {
    read(typed) {
      const [, id] = CHANNEL_ID.exec(typed) ?? []
      if (id) return id
      throw new UserError(
        `“${clip(oneLine(typed), 60)}” isn’t a channel that Slack linked. Pick it from the menu that opens when you type #, or type its ID, such as C0123456789.`,
      )
    },
    write: String,
  }),
}

const CHANNEL_FIELDS: FieldTable<ChannelValues> = {
  // What people type after --env is read for every verb.
  env: forButtons(choiceField('env', 'Environment', ENVIRONMENTS)),
  ...CHANNEL_FIELD,
  replace: forButtons(textField('replace', 'Watch')),
  shownVersion: forButtons(textField('seen', 'Version')),
}

/** The settings of a watch, without its channel: the inputs of its window, in order. */
export const SETTING_FIELDS: FieldTable<FilterValues & NotifyValues> = {
  // What somebody comes for stands first: which checks, and whom to page.
  ...{ uuid: FILTER.uuid, name: FILTER.name, page: NOTIFY_FIELDS.page },
  ...FILTER,
  ...NOTIFY_FIELDS,
}
/** Commands, buttons, and windows of watches all use this table. */
const WATCH_FIELDS: FieldTable<WatchValues> = { ...SETTING_FIELDS, ...CHANNEL_FIELDS }

export const WATCH_FLAGS: FlagSpecs = {
  ...flagSpecs(WATCH_FIELDS),
  yes: 'switch',
  sure: 'switch',
}

export interface ParsedWatch {
  values: WatchValues
  /** The typed name of a single check, which is looked up and becomes a UUID rule. */
  check: Pick<Arguments, 'values' | 'lineFor' | 'takesPattern'> | undefined
  /** The person has agreed to post in a channel that is shared with another organization. */
  isConfirmed: boolean
  /** The person knows that no check matches. */
  isSure: boolean
}

/**
 * Parses a `/hc watch` line. `pollMs`: how often Signalman looks. Throws UserError if a value is out of range, or if a rule can't match
 * anything.
 */
export function parseWatch(args: Arguments, pollMs: number): ParsedWatch {
  const { flags, lists } = args
  const { after } = flags
  const counted = typeof after === 'string' ? { ...flags, after: countLooks(after, pollMs) } : flags
  const read = readFields(WATCH_FIELDS, counted, lists)
  const { name: _name, uuid: _uuid, ...others } = read
  // All is all, whatever else is named.
  const values = args.values.all === undefined ? read : others
  toSettings(values)
  return {
    values,
    check: (args.values.uuid ?? args.values.check) === undefined ? undefined : args,
    isConfirmed: flags.yes === true,
    isSure: flags.sure === true,
  }
}

/** `3m` is as many looks as take that long. */
function countLooks(typed: string, pollMs: number): string {
  const [, minutes] = /^(\d+) ?m(?:in)?$/i.exec(typed) ?? []
  if (minutes === undefined) return typed
  const looks = (Number(minutes) * MINUTE_MS) / pollMs
  if (Number.isInteger(looks) && looks >= 1 && looks <= MAX_BAD_POLLS) return String(looks)
  throw new UserError(
    `Signalman looks every ${pollMs / 1000} s, so --after can’t be ${minutes} min. Type how often a health check has to be seen down: 1 to ${MAX_BAD_POLLS}.`,
  )
}

/** The notification settings that differ from the defaults. */
const pickChanged = ({ afterBadPolls, page, runbook }: NotifyValues): NotifyValues => ({
  ...(afterBadPolls !== 1 && { afterBadPolls }),
  ...(page && { page }),
  ...(runbook !== undefined && { runbook }),
})

export const pickSettings = (watch: WatchSettings): WatchSettings => ({
  ...{ filter: watch.filter, afterBadPolls: 1 },
  ...pickChanged(watch),
})

/** Builds settings from values and defaults. Throws UserError if there are too many conditions. */
export const toSettings = ({ afterBadPolls = 1, page, runbook, ...filter }: WatchValues): WatchSettings =>
  pickSettings({ filter: toFilter(filter), afterBadPolls, page, runbook })

export const toWatchValues = ({ filter, ...others }: WatchSettings): WatchValues => ({
  ...toFilterValues(filter),
  ...pickChanged(others),
})

export const toChannelValues = (watch: {
  channelId?: string | undefined
  environment: Environment
}): ChannelValues => ({
  env: watch.environment,
  ...(watch.channelId !== undefined && { channel: watch.channelId }),
})

/** The command that creates this watch, or opens its window. */
export function formatWatchLine(
  { name = [], ...others }: WatchValues,
  verb: 'watch' | 'watch-edit' = 'watch',
): string {
  // A word without a star, or in quotes, would be looked up as the name of one check, so other names use a flag.
  const isGlob = ({ pattern }: WatchRule): boolean => pattern.includes('*') && quoted(pattern) === pattern
  const globs = name.filter(isGlob)
  const otherNames = name.filter((rule) => !isGlob(rule))
  const isAll = name.length === 0 && others.uuid === undefined
  return [
    `/hc ${verb}`,
    ...(isAll ? ['all'] : globs.map(({ pattern }) => pattern)),
    ...writeFields(WATCH_FIELDS, { ...(otherNames.length > 0 && { name: otherNames }), ...others }),
  ].join(' ')
}

/** Identifies settings, with the IDs of whom they page. The names of single checks are only for reading. */
export const hashSettings = (settings: WatchSettings): string => {
  const { filter, ...others } = pickSettings(settings)
  return hashVersion({ filter: toFilterKey(filter), ...others })
}

/** Describes the settings that differ from the defaults. */
export const describeSettings = (settings: Omit<WatchSettings, 'filter'>): string[] =>
  describeFields(NOTIFY_FIELDS, pickChanged(settings))
