import { FieldErrors, UserError } from '@signalman/runtime'
import {
  type Answers,
  type Choice,
  choicesInput,
  context,
  LIMITS,
  section,
  selectInput,
  textInput,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Form, Modal } from '../../../bot/routes/routes.ts'
import type { Environment } from '../../../domain/environment.ts'
import { WATCHED_STATUSES } from '../../../domain/outages/outage.ts'
import type { WatchParts } from '../keep-watch.ts'
import {
  digestWords,
  excludedRule,
  excludedWords,
  PROTOCOLS,
  parseWatch,
  readDigest,
  readReminder,
  replaceWords,
  ruleOf,
  type TypedDigest,
  watchLine,
} from '../parse/watch-line.ts'
import { previewWatch } from '../preview-watch.ts'
import { REMINDER_HOURS, type WatchField, type WatchRule, type WatchTerms } from '../rules/watch.ts'
import { refuseOlder, savedWatch } from '../saved-watch.ts'
import { previewView } from '../views/preview.ts'

const FORM = 'watching.watch'

/** What the window shows when it opens. */
export interface WatchDraft {
  terms: WatchTerms
  digest: TypedDigest | undefined
  timeZone: string
  /** The watch that is changed; absent for a new one. */
  replaces: string | undefined
  /** The version of what is saved. */
  seen: string
}

type WatchAbout = Pick<WatchDraft, 'replaces'> & Partial<Pick<WatchDraft, 'seen'>>

interface TypedWatch {
  terms: WatchTerms
  digest: TypedDigest
}

/**
 * Asks what a channel is to be told, and how. Sending it in saves nothing: a preview comes first. Throws UserError for a watch
 * that is longer than a window holds: what was cut off would be lost with its saving.
 */
export function watchModal(draft: WatchDraft, environment: Environment): Modal {
  const { include, exclude } = draft.terms.filter
  for (const rules of [include, exclude])
    if (rules.map(excludedWords).join('\n').length > LIMITS.inputValue)
      throw new UserError(
        'This watch has more conditions than a window holds. Send all watches as a file, change it there, and import it.',
        [{ label: 'Export', line: '/hc watches --export' }],
      )
  const about: WatchAbout = { replaces: draft.replaces, seen: draft.seen }
  return {
    title: draft.replaces ? 'Change watch' : 'New watch',
    form: { id: FORM, submit: 'Preview' },
    about,
    blocks: [
      environment === 'ote' ? [context('OTE test environment')] : [],
      section(
        'This channel is told when these health checks go down and come up. Nothing is saved before you have seen a preview.',
      ),
      ...filterInputs(draft.terms),
      ...tellingInputs(draft),
    ],
  }
}

const patternsOf = (rules: readonly WatchRule[], field: WatchField): string[] =>
  rules.flatMap((rule) => (rule.field === field ? [rule.pattern] : []))

function filterInputs({ filter: { include, exclude } }: WatchTerms): KnownBlock[] {
  const names = include.flatMap((rule) =>
    rule.field === 'name' || rule.field === 'uuid' ? [nameLine(rule)] : [],
  )
  const chosen = (values: readonly string[], field: WatchField): Choice[] =>
    values.map((value) => ({ label: value, value, chosen: patternsOf(include, field).includes(value) }))
  return [
    textInput('names', 'Names', {
      optional: true,
      multiline: true,
      initial: names.join('\n'),
      placeholder: 'web-*',
      hint: 'One a line; * stands for anything. Empty: every health check. One check by its id: uuid=…',
    }),
    textInput('exclude', 'Leave out', {
      optional: true,
      multiline: true,
      initial: exclude.map(excludedWords).join('\n'),
      placeholder: 'web-test*',
      hint: 'One a line: a name, or target=…, protocol=…, customer=…, status=…',
    }),
    textInput('targets', 'Only these targets', {
      optional: true,
      multiline: true,
      initial: patternsOf(include, 'target').join('\n'),
      hint: 'One a line; * stands for anything.',
    }),
    choicesInput('protocols', 'Only these protocols', chosen(PROTOCOLS, 'protocol'), { optional: true }),
    textInput('customers', 'Only these customers', {
      optional: true,
      initial: patternsOf(include, 'customer').join(', '),
      hint: 'Customer ids, separated by commas.',
    }),
    choicesInput('statuses', 'What counts as down', chosen(WATCHED_STATUSES, 'status'), {
      optional: true,
      hint: 'UNHEALTHY unless chosen otherwise.',
    }),
  ]
}

const nameLine = ({ field, pattern }: WatchRule): string => (field === 'uuid' ? `uuid=${pattern}` : pattern)

const AFTER = ['at the first bad poll', 'after 2 bad polls in a row', 'after 3', 'after 4', 'after 5']

function tellingInputs({ terms, digest, timeZone }: WatchDraft): KnownBlock[] {
  const hour = digest === undefined || digest === 'off' ? undefined : digest.hour
  return [
    selectInput(
      'after',
      'Down is told',
      AFTER.map((label, index) => ({
        label,
        value: String(index + 1),
        chosen: terms.afterBadPolls === index + 1,
      })),
    ),
    selectInput('notify', 'Cards', [
      { label: 'one for outages close together', value: 'once', chosen: terms.notify === 'once' },
      { label: 'one for every outage', value: 'every', chosen: terms.notify === 'every' },
    ]),
    selectInput(
      'remind',
      'Reminder of what is still down',
      REMINDER_HOURS.map((hours) => ({
        label: hours === 0 ? 'off' : `after ${hours} h, then daily`,
        value: String(hours),
        chosen: terms.reminderHours === hours,
      })),
    ),
    selectInput('digest', 'Daily summary of the channel', [
      { label: 'off', value: 'off', chosen: hour === undefined },
      ...Array.from({ length: 24 }, (_, value) => ({
        label: `at ${value}:00`,
        value: String(value),
        chosen: value === hour,
      })),
    ]),
    textInput('zone', 'Time zone of the summary', {
      initial: timeZone,
      max: 60,
      placeholder: 'Europe/Paris',
    }),
  ]
}

const linesIn = (text: string | undefined): string[] =>
  (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** Throws FieldErrors with a sentence for each field that is wrong. */
function readWatchForm(answers: Answers): TypedWatch {
  const faults: Record<string, string> = {}
  function at<T>(field: string, read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      faults[field] = error.message
      return undefined
    }
  }
  const rules = (field: string, typed: readonly string[], read: (one: string) => WatchRule): WatchRule[] =>
    at(field, () => typed.map(read)) ?? []
  const include = [
    ...rules('names', linesIn(answers.text('names')), includedRule).filter(
      ({ field, pattern }) => field !== 'name' || pattern !== '*',
    ),
    ...rules('targets', linesIn(answers.text('targets')), (one) => ruleOf('target', one)),
    ...answers.choices('protocols').map((one) => ruleOf('protocol', one)),
    ...rules('customers', (answers.text('customers') ?? '').split(/[\s,;]+/).filter(Boolean), (one) =>
      ruleOf('customer', one),
    ),
    ...answers.choices('statuses').map((one) => ruleOf('status', one)),
  ]
  const exclude = rules('exclude', linesIn(answers.text('exclude')), excludedRule)
  const digest =
    at('zone', () => readDigest(answers.choice('digest') ?? 'off', answers.text('zone'))) ?? 'off'
  // All rules together have the bounds of a typed line.
  const lists = { name: include.map(({ pattern }) => pattern), not: exclude.map(excludedWords) }
  if (Object.keys(faults).length === 0) at('names', () => parseWatch({ words: [], flags: {}, lists }))
  if (Object.keys(faults).length > 0) throw new FieldErrors(faults)
  const terms: WatchTerms = {
    filter: { include, exclude },
    afterBadPolls: Number(answers.choice('after') ?? 1),
    notify: answers.choice('notify') === 'every' ? 'every' : 'once',
    reminderHours: readReminder(answers.choice('remind')),
  }
  return { terms, digest }
}

function includedRule(typed: string): WatchRule {
  const [, uuid] = /^uuid=\s*(\S+)$/i.exec(typed) ?? []
  return uuid ? ruleOf('uuid', uuid) : ruleOf('name', typed)
}

/** The form of `watchModal`: shows what the watch would have told, with a button that saves it. */
export function watchForm(parts: WatchParts): Form<TypedWatch, WatchAbout> {
  return {
    id: FORM,
    verb: '/hc watch-edit',
    needs: 'operator',
    working: 'Trying it on what happened last week…',
    read: readWatchForm,
    async submit(context, { terms, digest }, { replaces, seen }) {
      refuseOlder(seen, await savedWatch(parts.watching, context, replaces), replaces)
      const preview = await previewWatch(parts, context, terms)
      const saves = `${watchLine(terms)}${digestWords(digest)}${replaceWords({ replaces, seen })}`
      const edits = saves.replace('/hc watch', '/hc watch-edit')
      return previewView({ terms, environment: context.environment, preview, saves, edits })
    },
  }
}
