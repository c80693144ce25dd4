// This folder publishes App Home.

import { type Caller, divider, fitView, header, type SlackClients } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Access } from '../access/access.ts'
import { bindButtons } from '../bind-buttons.ts'
import type { Handler } from '../handler.ts'
import type { FindHiddenButtons } from '../request/buttons.ts'
import type { MakeContext } from '../request/context.ts'
import { type Explained, explain, problemMessage } from '../request/explain.ts'
import type { CommandContext, HandledRequest } from '../routes/command-context.ts'
import type { HomeSection, RouteTable } from '../routes/routes.ts'

/** The groups of sections in App Home, in order, with their headings. */
const HOME_GROUPS: Readonly<Record<HomeSection['group'], string>> = {
  'set-up': '',
  'for you': 'For you',
  now: 'Now',
  settings: 'Settings',
  help: '',
}

/** Builds App Home. The sections load in parallel. */
async function buildHome(sections: readonly HomeSection[], context: CommandContext): Promise<KnownBlock[]> {
  const built = await Promise.all(
    sections.map(async ({ group, section }) => ({ group, blocks: await section(context) })),
  )
  const groups = Object.entries(HOME_GROUPS).map(([group, title]) => {
    const blocks = built.flatMap((section) => (section.group === group ? section.blocks : []))
    return title === '' || blocks.length === 0 ? blocks : [header(title), ...blocks]
  })
  const [firstGroup = [], ...otherGroups] = groups.filter((blocks) => blocks.length > 0)
  return fitView([...firstGroup, ...otherGroups.flatMap((blocks) => [divider(), ...blocks])])
}

const REQUIREMENT = { verb: 'home', needs: 'viewer', guests: true } as const

/** Shows and redraws people's Home tabs. */
export function createHomeTab(deps: {
  routes: Pick<RouteTable, 'homeSections'>
  access: Pick<Access, 'authorize'>
  makeContext: MakeContext
  clients: SlackClients
  findHiddenButtons: FindHiddenButtons
}) {
  const { routes, access, makeContext, clients, findHiddenButtons } = deps

  async function draw(context: CommandContext): Promise<void> {
    if (routes.homeSections.length === 0) return
    const blocks = await buildHome(routes.homeSections, context)
    await publish(context, blocks, await findHiddenButtons(context))
  }

  async function publish(
    caller: Caller,
    blocks: KnownBlock[],
    isHidden?: HandledRequest['isHidden'],
  ): Promise<void> {
    const slack = await clients.forWorkspace(caller)
    await slack.publishHome(caller.userId, bindButtons(blocks, 'production', isHidden))
  }

  /** Shows a problem instead of Home. */
  const showProblem = (caller: Caller, problem: Explained): Promise<void> =>
    publish(caller, problemMessage(problem, caller.reference).blocks)

  /** For a person who opened Home, or pressed its refresh button. */
  const handler: Handler = {
    ...REQUIREMENT,
    environment: 'production',
    isQuiet: true,
    async run(context) {
      await draw(context)
      return undefined
    },
    showProblem,
  }

  return {
    handler,

    /** Redraws Home after an act. Ignores errors, because the act succeeded and its outcome was shown, so it must not look failed. */
    async refreshHome({ act: _, ...caller }: HandledRequest): Promise<void> {
      const requirement = { ...REQUIREMENT, usesCache: true }
      await access
        .authorize(caller, requirement)
        .then((actor) => draw(makeContext(caller, 'production', actor, requirement)))
        .catch((error: unknown) => showProblem(caller, explain(error, { mayChange: false })))
        .catch(() => undefined)
    },
  }
}
