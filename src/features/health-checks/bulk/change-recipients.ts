import { UserError } from '@signalman/runtime'
import { clip, commandButton, oneLine } from '@signalman/slack'
import { parameter } from '../../../bot/grammar/parameters.ts'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import { ANY_CHECKS } from '../../../bot/grammar/vocabulary.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { findCheckId, findPattern } from '../../../domain/find-check.ts'
import { NothingFound } from '../../../domain/nothing-found.ts'
import { writePattern } from '../../../domain/quoting.ts'
import { findAlertsFault, isReadable, parseRecipients } from '../../../domain/recipients.ts'
import { formatCount } from '../../../domain/wording.ts'
import { writeCommand } from '../../../domain/write-command.ts'
import { addRecipient, isMailed, replaceRecipient } from '../rules/alert-requests.ts'
import { readEach } from './plan-checks.ts'
import { findById, findByPattern, previewChange, type TypedChange } from './preview-change.ts'
import type { BulkDeps } from './start.ts'
import { countChecks, textCard } from './views.ts'

/** `/hc recipients`: replaces, removes, or adds an address on many checks. */
export const recipientsCommand = (deps: BulkDeps): VerbDeclaration => ({
  line: '/hc recipients',
  parameters: [parameter('address', 'address', { required: true }), ...ANY_CHECKS],
  description:
    'List the health checks that email an address; replace, remove, or add it on many, after a preview',
  needs: 'operator',
  flags: {
    'replace-with': { type: 'value', help: 'The address to email instead', valueName: 'ADDRESS' },
    remove: { type: 'switch', help: 'Stop emailing the address' },
    add: { type: 'switch', help: 'Also email the address' },
  },
  example: 'recipients a@example.com --remove',
  run: (context, args) => showRecipients(deps, context, args),
})

/** The checks that email an address or, with a change, its preview. */
async function showRecipients(deps: BulkDeps, context: CommandContext, { flags, ...typed }: Arguments) {
  const { values } = typed
  const address = parseAddress(values.address, values.check)
  const change = parseRecipientChange(address, flags)
  const isAll = (values.check ?? values.uuid ?? values.pattern) === undefined
  const pattern = isAll ? '*' : await findPattern(context, values)
  if (change) {
    const found =
      pattern === undefined
        ? await findById(context, await findCheckId(context, typed))
        : await findByPattern(context, pattern)
    return previewChange(deps, context, found, { verb: '/hc recipients', withAlerts: true, ...change })
  }
  if (pattern !== undefined) return showMailed(context, address, pattern)
  // The button is for a health check that exists.
  await findCheckId(context, typed)
  const { check: name, uuid = '' } = values
  const subject = name === undefined ? { words: [address, uuid] } : { words: [address], name }
  throw new UserError('What should change? Type --add, --remove, or --replace-with.', [
    {
      label: clip(`Email ${address} too`, 75),
      line: writeCommand('/hc recipients', { ...subject, flags: { add: true } }),
    },
  ])
}

/** Parses an address. A name in its place is probably that of the check. Throws UserError. */
function parseAddress(typed = '', check = ''): string {
  const { addresses, bad } = parseRecipients(typed)
  const [address, another] = addresses
  if (address !== undefined && another === undefined && bad.length === 0) return address
  throw new NothingFound('Which address? Type one email address, such as name@example.com.', [
    check === '' || check.includes('@')
      ? { label: 'List health checks', line: '/hc list' }
      : { label: `Alerts of ${clip(oneLine(check), 40)}`, line: writeCommand('/hc alerts', { name: check }) },
  ])
}

/** What to do with the address. Undefined if no flag says so. Throws UserError. */
function parseRecipientChange(
  address: string,
  flags: Arguments['flags'],
): Pick<TypedChange, 'does' | 'none' | 'toChange'> | undefined {
  const [flag, another] = ['add', 'remove', 'replace-with'].filter((each) => flags[each] !== undefined)
  if (another !== undefined) throw new UserError('Use only one of --add, --remove, and --replace-with.')
  if (flag === undefined) return undefined
  if (flag === 'add')
    return {
      does: `Also email ${address} about`,
      toChange: ({ alerts = [] }) => ({ set: {}, alerts: addRecipient(alerts, address) }),
    }
  const replacement = flag === 'remove' ? undefined : parseAddress(String(flags['replace-with']))
  return {
    does:
      replacement === undefined
        ? `Stop emailing ${address} about`
        : `Email ${replacement} instead of ${address} about`,
    none: `${address} isn’t among the recipients.`,
    toChange({ alerts = [] }) {
      if (isMailed(alerts, address))
        return { set: {}, alerts: replaceRecipient(alerts, address, replacement) }
      return isReadable(alerts) ? undefined : findAlertsFault(alerts)
    },
  }
}

const MAX_NAMED = 15

/** The checks that email an address, one a line, however many there are. */
async function showMailed(context: CommandContext, address: string, pattern: string) {
  const { alerts } = await context.api()
  const { checks, title, notes = [], none } = await findByPattern(context, pattern, Number.POSITIVE_INFINITY)
  if (checks.length === 0) throw new NothingFound(none, [{ label: 'List health checks', line: '/hc list' }])
  const mailed: string[] = []
  let unreadable = 0
  const read = await readEach(checks, async ({ uuid, name }, signal) => {
    const listed = await alerts.list(uuid, signal)
    if (isMailed(listed, address)) mailed.push(name)
    else if (!isReadable(listed)) unreadable += 1
  })
  unreadable += read.filter((error) => error !== undefined).length
  mailed.sort((left, right) => left.localeCompare(right))
  const more = mailed.length - MAX_NAMED
  const count = mailed.length === 0 ? 'none' : formatCount(mailed.length)
  const named = `${count} of ${formatCount(checks.length)} ${title.replace(/^all /, '')}`
  const line = writeCommand('/hc recipients', { words: [address] })
  const change = pattern === '*' ? line : `${line} ${writePattern(pattern)}`
  return textCard(
    [
      `${address} gets emails about ${named}${environmentSuffix(context.environment)}.`,
      ...mailed.slice(0, MAX_NAMED).map((name) => clip(oneLine(name), 60)),
      ...(more > 0 ? [`And ${formatCount(more)} more. An export has the recipients of all.`] : []),
      ...notes,
      ...(unreadable > 0 ? [`The recipients of ${countChecks(unreadable)} couldn’t be read.`] : []),
      ...(mailed.length > 0
        ? []
        : [
            'To add it to one, type this. Without a NAME, it’s added to all.',
            await context.tell('/hc recipients', { words: [address, 'NAME'], flags: { add: true } }),
          ]),
    ],
    ...(mailed.length > 0
      ? [commandButton('Stop these emails', `${change} --remove`)]
      : [commandButton('List health checks', '/hc list')]),
    ...(more > 0 ? [commandButton('Export all', '/hc export')] : []),
  )
}
