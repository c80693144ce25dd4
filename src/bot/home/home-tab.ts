import { HOUR_MS, lruOptions, Refusal } from '@signalman/runtime'
import type { Caller, SlackClients } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { LRUCache } from 'lru-cache'
import type { Access } from '../access/access.ts'
import type { BindButtons, FindHiddenButtons } from '../request/buttons.ts'
import type { MakeContext } from '../request/context.ts'
import type { RequestHandler } from '../request/contract.ts'
import { type Explained, explain, problemMessage } from '../request/explain.ts'
import { NO_PLACEHOLDER } from '../request/reply.ts'
import type { HandledRequest } from '../routes/command-context.ts'
import type { RouteTable } from '../routes/routes.ts'

/** How many Home tabs are remembered as open, and for how long. Open tabs are redrawn when something changes. */
const MAX_OPEN = 200
const OPEN_MS = HOUR_MS
/** How many tabs of a workspace are redrawn after each change. */
const MAX_REDRAWN = 10

export type HomeTab = ReturnType<typeof createHomeTab>

/** Shows and redraws people's Home tabs. */
export function createHomeTab(deps: {
  routes: Pick<RouteTable, 'homeView'>
  access: Access
  makeContext: MakeContext
  clients: SlackClients
  bindButtons: BindButtons
  findHiddenButtons: FindHiddenButtons
}) {
  const { routes, access, makeContext, clients, bindButtons, findHiddenButtons } = deps
  const recentViewers = new LRUCache<string, Caller>({ ...lruOptions(MAX_OPEN), ttl: OPEN_MS })

  async function drawHome(caller: Caller): Promise<string> {
    const view = routes.homeView()
    if (!view) return 'nothing'
    const requirement = { needs: 'viewer', verb: 'home', usesCache: true } as const
    const actor = await access.admit(caller, requirement)
    const context = makeContext(caller, 'production', actor, requirement)
    const blocks = await view(context)
    await publishHome({ ...caller, isHidden: await findHiddenButtons(context) }, blocks)
    return 'home'
  }

  /** Shows Home to a person who opened it, and remembers that they are probably looking at it. */
  async function openHome(caller: Caller): Promise<string> {
    recentViewers.set(`${caller.workspaceId} ${caller.userId}`, caller)
    return drawHome(caller)
  }

  /** Redraws Home after an act. Ignores errors, because the act succeeded and its outcome was shown, so it must not look failed. */
  async function refreshHome({ act: _, ...caller }: HandledRequest): Promise<void> {
    await drawHome(caller)
      .catch((error: unknown) => showHomeProblem(caller, explain(error, { isReadOnly: true })))
      .catch(() => undefined)
  }

  /** Redraws Home for everyone who recently opened it in this process. Never rejects. */
  async function redrawHomes(workspaceId: string): Promise<void> {
    // The LRU cache lists the most recently opened tabs first.
    const callers = [...recentViewers.values()].filter((caller) => caller.workspaceId === workspaceId)
    for (const caller of callers.slice(0, MAX_REDRAWN))
      await drawHome(caller).catch((error: unknown) => hideAfterRefusal(caller, error))
  }

  /** Replaces the previous content for someone who has lost access. */
  async function hideAfterRefusal(caller: Caller, error: unknown): Promise<void> {
    if (error instanceof Refusal)
      await showHomeProblem(caller, explain(error, { isReadOnly: true })).catch(() => undefined)
  }

  /** Shows a problem instead of Home. */
  async function showHomeProblem(caller: Caller, problem: Explained): Promise<void> {
    await publishHome(caller, problemMessage(problem, caller.reference).blocks)
  }

  async function publishHome(
    caller: Caller & Pick<HandledRequest, 'isHidden'>,
    blocks: KnownBlock[],
  ): Promise<void> {
    const slack = await clients.forWorkspace(caller)
    await slack.publishHome(caller.userId, await bindButtons(caller, 'production', blocks))
  }

  /** For a person who opened Home, or pressed its refresh button. */
  const handler: RequestHandler = {
    verb: 'home',
    run: openHome,
    slotOptions: NO_PLACEHOLDER,
    showProblem: showHomeProblem,
  }
  return { handler, refreshHome, redrawHomes }
}
