// This folder publishes App Home.

import { AccessDenied, HOUR_MS, lruOptions } from '@signalman/runtime'
import { type Caller, type SlackClients, toCaller } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { LRUCache } from 'lru-cache'
import type { Access } from '../access/access.ts'
import { bindButtons } from '../bind-buttons.ts'
import type { Handler } from '../handler.ts'
import type { FindHiddenButtons } from '../request/buttons.ts'
import type { MakeContext } from '../request/context.ts'
import { type Explained, explain, problemMessage } from '../request/explain.ts'
import type { CommandContext, HandledRequest } from '../routes/command-context.ts'
import type { RouteTable } from '../routes/routes.ts'

/** How many Home tabs are remembered as open, and for how long. Open tabs are redrawn when something changes. */
const MAX_OPEN = 200
const OPEN_MS = HOUR_MS
/** How many tabs of a workspace are redrawn after each change. */
const MAX_REDRAWN = 10

const REQUIREMENT = { verb: 'home', needs: 'viewer', guests: true } as const

/** Shows and redraws people's Home tabs. */
export function createHomeTab(deps: {
  routes: Pick<RouteTable, 'homeView'>
  access: Pick<Access, 'authorize'>
  makeContext: MakeContext
  clients: SlackClients
  findHiddenButtons: FindHiddenButtons
}) {
  const { routes, access, makeContext, clients, findHiddenButtons } = deps
  const recentViewers = new LRUCache<string, Caller>({ ...lruOptions(MAX_OPEN), ttl: OPEN_MS })

  async function draw(context: CommandContext): Promise<void> {
    const blocks = await routes.homeView()?.(context)
    if (blocks) await publish(context, blocks, await findHiddenButtons(context))
  }

  async function publish(
    caller: Caller,
    blocks: KnownBlock[],
    isHidden?: HandledRequest['isHidden'],
  ): Promise<void> {
    const slack = await clients.forWorkspace(caller)
    await slack.publishHome(caller.userId, bindButtons(blocks, 'production', isHidden))
  }

  async function redraw(caller: Caller): Promise<void> {
    const requirement = { ...REQUIREMENT, usesCache: true }
    const actor = await access.authorize(caller, requirement)
    await draw(makeContext(caller, 'production', actor, requirement))
  }

  /** Shows a problem instead of Home. */
  const showProblem = (caller: Caller, problem: Explained): Promise<void> =>
    publish(caller, problemMessage(problem, caller.reference).blocks)

  return {
    /** For a person who opened Home, or pressed its refresh button. Remembers that they are probably looking at it. */
    createHandler: (
      onReachable: (workspaceId: string, target: { ownerId: string }) => Promise<void>,
    ): Handler => ({
      ...REQUIREMENT,
      environment: 'production',
      isQuiet: true,
      async run(context) {
        const { workspaceId, userId } = context
        recentViewers.set(`${workspaceId} ${userId}`, toCaller(context))
        await onReachable(workspaceId, { ownerId: userId })
        await draw(context)
        return undefined
      },
      showProblem,
    }),

    /** Redraws Home after an act. Ignores errors, because the act succeeded and its outcome was shown, so it must not look failed. */
    async refreshHome({ act: _, ...caller }: HandledRequest): Promise<void> {
      await redraw(caller)
        .catch((error: unknown) => showProblem(caller, explain(error, { mayChange: false })))
        .catch(() => undefined)
    },

    /**
     * Redraws Home for everyone who recently opened it in this process, and replaces its content for someone who has lost access.
     * Never rejects.
     */
    async redrawHomes(workspaceId: string): Promise<void> {
      // The LRU cache lists the most recently opened tabs first.
      const callers = [...recentViewers.values()].filter((caller) => caller.workspaceId === workspaceId)
      for (const caller of callers.slice(0, MAX_REDRAWN))
        await redraw(caller)
          .catch((error: unknown) =>
            error instanceof AccessDenied
              ? showProblem(caller, explain(error, { mayChange: false }))
              : undefined,
          )
          .catch(() => undefined)
    },
  }
}
