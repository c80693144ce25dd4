import { UserError } from '@signalman/runtime'
import { clip, oneLine } from '@signalman/slack'
import type { Arguments } from '../../../bot/grammar/read-words.ts'
import { choice, type Slot, slot } from '../../../bot/grammar/slots.ts'
import { CHECK_OR_PATTERN, LISTED_CHECKS } from '../../../bot/grammar/vocabulary.ts'
import { ButtonTooOld } from '../../../bot/request/buttons.ts'
import type { VerbDeclaration } from '../../../bot/routes/routes.ts'
import { flagSpecs, PAGE_FIELDS, readFields } from '../../../bot/typed/fields.ts'
import { parseRecipients } from '../../../domain/recipients.ts'
import type { JobDeps } from '../jobs/start-job.ts'
import { SERVICE_FILTERS } from '../parse.ts'
import { ADDRESS_ANSWERS } from '../rules/server-address.ts'
import { textCard } from '../views/job.ts'
import { bulkForm } from './forms.ts'
import {
  BULK_ACTIONS,
  BUTTON_FLAGS,
  type BulkAction,
  type BulkRequest,
  bulkFlags,
  FILTER_FIELDS,
  parseBulk,
} from './parse.ts'
import { type PlanDeps, planBulk } from './plan-bulk.ts'
import { answerAddresses, applyBulk, previewBulk, sendPlan } from './preview.ts'
import { recipientChecksView } from './views.ts'

/** An action, and the checks that it's about. */
const BULK_SLOTS: readonly Slot[] = [
  choice('action', Object.fromEntries(BULK_ACTIONS.map((action) => [action, action])), { usage: '' }),
  ...LISTED_CHECKS,
]

/** The commands that change many health checks at once. All of them show a preview first. */
export const bulkCommands = (deps: PlanDeps & JobDeps): VerbDeclaration[] => [
  {
    line: '/hc bulk',
    slots: BULK_SLOTS,
    description: 'Change, copy, or delete many health checks, or change their recipients, in a window',
    needs: 'operator',
    opensModal: true,
    flags: BUTTON_FLAGS,
    async run(context, args) {
      // Throws if no token is stored.
      await context.api()
      return bulkForm.open(context.environment, parseBulk(readAction(args) ?? BULK_ACTIONS[0], args))
    },
  },

  {
    line: '/hc clone',
    slots: CHECK_OR_PATTERN,
    description: 'Copy health checks with their alerts, after a preview',
    needs: 'operator',
    flags: bulkFlags('clone'),
    example: 'clone web-* --suffix " (staging)"',
    run: (context, args) => previewBulk(deps, context, parseBulk('clone', args)),
  },

  {
    line: '/hc bulk-apply',
    slots: BULK_SLOTS,
    description: 'Apply a bulk change after its preview',
    needs: 'operator',
    isAct: true,
    hidden: true,
    flags: { ...BUTTON_FLAGS, seen: 'value' },
    run(context, args) {
      const { seen } = args.flags
      if (typeof seen !== 'string') throw BUTTON_TOO_OLD
      return applyBulk(deps, context, parseRequest(args), seen)
    },
  },

  {
    line: '/hc bulk-file',
    slots: BULK_SLOTS,
    description: 'Send the whole preview as a file',
    needs: 'operator',
    isAct: true,
    hidden: true,
    flags: BUTTON_FLAGS,
    run: (context, args) => sendPlan(deps, context, parseRequest(args)),
  },

  {
    line: '/hc bulk-address',
    slots: BULK_SLOTS,
    description: 'Answer what to save as unknown server addresses, and preview the change again',
    needs: 'operator',
    isAct: true,
    hidden: true,
    flags: { ...BUTTON_FLAGS, answer: ADDRESS_ANSWERS, seen: 'value' },
    run(context, args) {
      const { answer: typed, seen } = args.flags
      const answer = ADDRESS_ANSWERS.find((each) => each === typed)
      if (!answer || typeof seen !== 'string') throw BUTTON_TOO_OLD
      return answerAddresses(deps, context, parseRequest(args), { answer, seen })
    },
  },

  {
    line: '/hc bulk-cancel',
    description: 'Discard a preview',
    needs: 'viewer',
    hidden: true,
    run: async () => textCard(['Canceled.']),
  },

  recipientsCommand(deps),
]

const BUTTON_TOO_OLD = new ButtonTooOld({ next: 'Type the command again.' })

/** Parses the request in a preview's button. Throws ButtonTooOld if the button doesn't name an action. */
function parseRequest(args: Arguments): BulkRequest {
  const action = readAction(args)
  if (!action) throw BUTTON_TOO_OLD
  return parseBulk(action, args)
}

const readAction = ({ values: { action } }: Arguments): BulkAction | undefined =>
  BULK_ACTIONS.find((name) => name === action)

/** `/hc recipients`: shows every check that emails an address, and replaces, removes, or adds it on all of them. */
const recipientsCommand = (deps: PlanDeps): VerbDeclaration => ({
  line: '/hc recipients',
  slots: [slot('address', 'address', { required: true })],
  description:
    'Show every health check that emails an address; replace, remove, or add the address after a preview',
  needs: 'operator',
  flags: {
    ...flagSpecs(SERVICE_FILTERS),
    ...flagSpecs(PAGE_FIELDS),
    name: { type: 'value', help: 'Only health checks with this name; * matches anything' },
    'replace-with': { type: 'value', help: 'The address to email instead', valueName: 'ADDRESS' },
    remove: { type: 'switch', help: 'Stop emailing the address' },
    add: { type: 'switch', help: 'Also email the address' },
  },
  example: 'recipients ann@example.com --replace-with bob@example.com',
  async run(context, args) {
    const { flags } = args
    const address = requireAddress(args)
    const typedReplacement = flags['replace-with']
    const replacement = typeof typedReplacement === 'string' ? parseReplacement(typedReplacement) : undefined
    const removesAddress = flags.remove === true || replacement !== undefined
    const { name = '*' } = flags
    const filter = { names: [String(name)], ...readFields(FILTER_FIELDS, flags) }
    if (flags.add === true) {
      if (removesAddress)
        throw new UserError('You can’t combine --add with --replace-with or --remove. Use one of them.')
      return previewBulk(deps, context, { action: 'recipients', filter, changes: { add: [address] } })
    }
    const request: BulkRequest = {
      action: 'recipients',
      filter,
      changes: {
        ...(replacement !== undefined && { add: [replacement] }),
        remove: [address],
        onlyWhere: address,
      },
    }
    if (removesAddress) return previewBulk(deps, context, request)
    // The plan for removing the address also lists every check that emails it.
    const plan = await planBulk(deps, context, request)
    const { page = 1 } = readFields(PAGE_FIELDS, flags)
    const { environment, now } = context
    return recipientChecksView(address, request, plan, { page, environment, now })
  },
})

/** The typed address. Throws UserError. */
function requireAddress({ values: { address }, flags: { name } }: Arguments): string {
  if (address === undefined && typeof name === 'string')
    throw new UserError(
      `“${clip(oneLine(name), 60)}” isn’t an email address. Type the whole address, e.g. name@example.com.`,
    )
  return parseAddress(address ?? '')
}

const WHICH_ADDRESS = 'Which address? Type one email address after the command, e.g. name@example.com.'

/** Parses a single address. Throws UserError for anything else. */
function parseAddress(typed: string, problem = WHICH_ADDRESS): string {
  const { addresses, bad } = parseRecipients(typed)
  const [only, ...others] = addresses
  if (only === undefined || others.length + bad.length > 0) throw new UserError(problem)
  return only
}

const parseReplacement = (typed: string): string =>
  parseAddress(
    typed,
    `“${clip(oneLine(typed), 60)}” after --replace-with isn’t a single email address. Type one, e.g. name@example.com.`,
  )
