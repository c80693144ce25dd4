import { HOUR_MS, lruOptions, Refusal } from '@signalman/runtime'
import type { Caller, SlackClients } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { LRUCache } from 'lru-cache'
import { type Access, besideAdmission } from '../access/access.ts'
import { isPlainlyForeign } from '../access/actor.ts'
import type { BindButtons } from '../request/buttons.ts'
import type { MakeContext } from '../request/context.ts'
import { type Explained, explain, problemMessage } from '../request/explain.ts'
import type { FindHiddenButtons } from '../request/hidden-buttons.ts'
import type { HandledRequest } from '../routes/command-context.ts'
import type { RouteTable } from '../routes/routes.ts'

/** Whose Home is redrawn when something changes: the people who opened theirs most recently, for a limited time. */
const MOST_OPEN = 200
const OPEN_MS = HOUR_MS
/** How many are redrawn at once per workspace. */
const MOST_REDRAWN = 10

export type HomeTab = ReturnType<typeof createHomeTab>

/** One person's Home tab. */
export function createHomeTab(parts: {
  routes: Pick<RouteTable, 'homeView'>
  access: Access
  makeContext: MakeContext
  clients: SlackClients
  bindButtons: BindButtons
  findHiddenButtons: FindHiddenButtons
}) {
  const { routes, access, makeContext, clients, bindButtons, findHiddenButtons } = parts
  const open = new LRUCache<string, Caller>({ ...lruOptions(MOST_OPEN), ttl: OPEN_MS })

  async function home(caller: Caller): Promise<string> {
    const view = routes.homeView()
    if (!view) return 'nothing'
    const demand = { needs: 'viewer', verb: 'home', usesCache: true } as const
    const admission = access.admit(caller, demand)
    if (isPlainlyForeign(caller)) await admission
    const { blocks, isHidden } = await besideAdmission(admission, async (admission, stop) => {
      const context = makeContext(caller, 'production', admission, demand, stop)
      const blocks = await view(context)
      return { blocks, isHidden: await findHiddenButtons(context, blocks) }
    })
    await publishHome({ ...caller, isHidden }, blocks)
    return 'home'
  }

  /** The person opened their Home and is probably looking at it. */
  async function opened(caller: Caller): Promise<string> {
    open.set(`${caller.workspaceId} ${caller.userId}`, caller)
    return home(caller)
  }

  /** The act is done and its outcome shown: a failed redraw of Home must not look as if it had failed. */
  async function refreshHome({ act: _, ...caller }: HandledRequest): Promise<void> {
    await home(caller)
      .catch((error: unknown) => homeProblem(caller, explain(error, { reads: true })))
      .catch(() => undefined)
  }

  /** Redraws Home for everyone who recently opened it in this process. Never rejects. */
  async function redrawHomes(workspaceId: string): Promise<void> {
    // Most recently opened first.
    const seen = [...open.values()].filter((caller) => caller.workspaceId === workspaceId)
    for (const caller of seen.slice(0, MOST_REDRAWN))
      await home(caller).catch((error: unknown) => hideUnlessAdmitted(caller, error))
  }

  /** Someone who lost access sees that, and not the previous content. */
  async function hideUnlessAdmitted(caller: Caller, error: unknown): Promise<void> {
    if (error instanceof Refusal)
      await homeProblem(caller, explain(error, { reads: true })).catch(() => undefined)
  }

  /** Explains an empty Home. */
  async function homeProblem(caller: Caller, problem: Explained): Promise<void> {
    await publishHome(caller, problemMessage(problem, caller.reference).blocks)
  }

  async function publishHome(
    caller: Caller & Pick<HandledRequest, 'isHidden'>,
    blocks: KnownBlock[],
  ): Promise<void> {
    const slack = await clients.of(caller)
    await slack.publishHome(caller.userId, await bindButtons(caller, 'production', blocks))
  }

  return { opened, refreshHome, homeProblem, redrawHomes }
}
