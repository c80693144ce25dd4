import type { Caller } from '../installs.ts'
import { seatOf } from '../people.ts'
import type { Fields } from '../protocol.ts'
import { type Slack, slackView } from '../slack.ts'
import { checkView } from '../strict/view.ts'
import type { Trigger } from '../tickets.ts'
import type { Found } from '../views.ts'
import { ApiRefusal, type Args, type Method, optional, required, wrong } from './reply.ts'

type Content = Exclude<ReturnType<typeof checkView>, { error: string }>

function content({ levels }: Slack, args: Args, allowed: readonly ('modal' | 'home')[]): Content {
  const checked = checkView(args.view, allowed, levels)
  if ('error' in checked) throw new ApiRefusal(checked.error, checked.notes)
  return checked
}

/** Uses up the trigger as the last check, so that a refused view can be sent again with the same one. */
function spend(slack: Slack, args: Args, caller: Caller): Trigger {
  const pointer = optional(args, 'interactivity_pointer')
  const trigger = slack.tickets.spendTrigger(pointer ?? required(args, 'trigger_id'))
  if (typeof trigger === 'string')
    throw new ApiRefusal(
      pointer === undefined ? trigger : trigger.replace('trigger_id', 'interactivity_pointer'),
    )
  if (!isReached(slack, trigger.user, caller)) throw new ApiRefusal('invalid_trigger_id')
  return trigger
}

function isReached({ people }: Slack, user: string, { reaches }: Caller): boolean {
  const person = people.find(user)
  return person !== undefined && reaches(seatOf(person))
}

function refuseTakenExternalId({ views }: Slack, view: Fields, except?: string): void {
  const taken = typeof view.external_id === 'string' ? views.findExternal(view.external_id) : undefined
  if (taken && taken.view.id !== except) throw new ApiRefusal('duplicate_external_id')
}

const open: Method = (slack, args, caller) => {
  const { view, blocks } = content(slack, args, ['modal'])
  refuseTakenExternalId(slack, view)
  const trigger = spend(slack, args, caller)
  return { view: slackView(slack, slack.views.open(view, blocks, { ...trigger, run: caller.run }), {}) }
}

const push: Method = (slack, args, caller) => {
  const { view, blocks } = content(slack, args, ['modal'])
  refuseTakenExternalId(slack, view)
  const trigger = spend(slack, args, caller)
  const below = trigger.viewId ? slack.views.find(trigger.viewId) : undefined
  if (below?.view.type !== 'modal')
    throw wrong(
      "must match the `type` of the root view whose stack we're pushing onto [json-pointer:/view/type]",
    )
  if (slack.views.isFull(trigger.user)) throw new ApiRefusal('push_limit_reached')
  return { view: slackView(slack, slack.views.push(view, blocks, { ...trigger, run: caller.run }), {}) }
}

function existing(slack: Slack, args: Args, caller: Caller): Found {
  const { views } = slack
  const id = optional(args, 'view_id')
  const external = optional(args, 'external_id')
  if (id === undefined && external === undefined) throw wrong('missing required field: view_id')
  const found = id === undefined ? views.findExternal(external ?? '') : views.find(id)
  if (!found || !isReached(slack, found.user, caller)) throw new ApiRefusal('not_found')
  return found
}

function refuseOldHash(args: Args, current: string | undefined): void {
  const hash = optional(args, 'hash')
  if (hash !== undefined && current !== undefined && hash !== current) throw new ApiRefusal('hash_conflict')
}

const update: Method = (slack, args, caller) => {
  const found = existing(slack, args, caller)
  const { view, blocks } = content(slack, args, [found.view.type])
  refuseTakenExternalId(slack, view, found.view.id)
  refuseOldHash(args, found.view.hash)
  const cause = slack.views.stack(found.user).find((one) => one.view.id === found.view.id)?.cause ?? null
  return { view: slackView(slack, slack.views.update(found, view, blocks, cause), {}) }
}

const publish: Method = (slack, args, caller) => {
  const user = required(args, 'user_id')
  if (!isReached(slack, user, caller)) throw new ApiRefusal('user_not_found')
  const { view, blocks } = content(slack, args, ['home'])
  refuseOldHash(args, slack.views.home(user)?.hash)
  return { view: slackView(slack, slack.views.publish(view, blocks, user), {}) }
}

export const viewMethods: Record<string, Method> = {
  'views.open': open,
  'views.push': push,
  'views.update': update,
  'views.publish': publish,
}
