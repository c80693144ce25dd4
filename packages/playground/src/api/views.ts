import { slackView } from '../payloads/view.ts'
import { activeTeamId } from '../protocol/people.ts'
import type { Caller } from '../state/installs.ts'
import type { Trigger } from '../state/tickets.ts'
import type { FoundView } from '../state/views.ts'
import type { World } from '../state/world.ts'
import { checkView } from '../validation/view.ts'
import { ApiError, type Args, invalidArguments, optional, type RunMethod, required } from './method.ts'

type CheckedView = Exclude<ReturnType<typeof checkView>, { error: string }>

function readView(args: Args, allowed: readonly ('modal' | 'home')[]): CheckedView {
  const checked = checkView(args.view, allowed)
  if ('error' in checked) throw new ApiError(checked.error, checked.notes)
  return checked
}

/** Redeems the trigger ID. Call this after all other checks, because in Slack a rejected view doesn't use up the trigger ID. */
function redeemTrigger(world: World, args: Args, caller: Caller): Trigger {
  const trigger = world.tickets.redeemTrigger(required(args, 'trigger_id'))
  if (typeof trigger === 'string') throw new ApiError(trigger)
  if (!isReachable(world, trigger.user, caller)) throw new ApiError('invalid_trigger_id')
  return trigger
}

function isReachable({ people }: World, user: string, { canReach }: Caller): boolean {
  const person = people.find(user)
  return person !== undefined && canReach(activeTeamId(person))
}

const open: RunMethod = ({ world, args, caller }) => {
  const { view, blocks } = readView(args, ['modal'])
  const trigger = redeemTrigger(world, args, caller)
  return { view: slackView(world.views.open(view, blocks, trigger), {}) }
}

const push: RunMethod = ({ world, args, caller }) => {
  const { view, blocks } = readView(args, ['modal'])
  const trigger = redeemTrigger(world, args, caller)
  const source = trigger.viewId ? world.views.find(trigger.viewId) : undefined
  if (source?.view.type !== 'modal')
    throw invalidArguments(
      "must match the `type` of the root view whose stack we're pushing onto [json-pointer:/view/type]",
    )
  if (world.views.isFull(trigger.user)) throw new ApiError('push_limit_reached')
  return { view: slackView(world.views.push(view, blocks, trigger), {}) }
}

function findView(world: World, args: Args, caller: Caller): FoundView {
  const { views } = world
  const existing = views.find(required(args, 'view_id'))
  if (!existing || !isReachable(world, existing.user, caller)) throw new ApiError('not_found')
  return existing
}

function checkHash(args: Args, current: string | undefined): void {
  const hash = optional(args, 'hash')
  if (hash !== undefined && current !== undefined && hash !== current) throw new ApiError('hash_conflict')
}

const update: RunMethod = ({ world, args, caller }) => {
  const existing = findView(world, args, caller)
  const { view, blocks } = readView(args, [existing.view.type])
  checkHash(args, existing.view.hash)
  const cause =
    world.views.stack(existing.user).find((open) => open.view.id === existing.view.id)?.cause ?? null
  return { view: slackView(world.views.update(existing, view, blocks, cause), {}) }
}

const publish: RunMethod = ({ world, args, caller }) => {
  const user = required(args, 'user_id')
  if (!isReachable(world, user, caller)) throw new ApiError('user_not_found')
  const { view, blocks } = readView(args, ['home'])
  checkHash(args, world.views.home(user)?.hash)
  return { view: slackView(world.views.publish(view, blocks, user), {}) }
}

export const viewMethods: Record<string, RunMethod> = {
  'views.open': open,
  'views.push': push,
  'views.update': update,
  'views.publish': publish,
}
