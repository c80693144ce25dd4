import { type Log, Refusal } from '@signalman/runtime'
import {
  actions,
  commandButton,
  type EntityRequest,
  type EntityResult,
  header,
  listCommands,
  type SlackClients,
  section,
  withoutCommands,
} from '@signalman/slack'
import type { EntityActionButton, KnownBlock } from '@slack/types'
import { type Access, canSeePersonalData } from '../../bot/access/access.ts'
import type { RunLine } from '../../bot/pipeline/run-line.ts'
import type { BindButtons } from '../../bot/request/buttons.ts'
import type { RequestHandler } from '../../bot/request/contract.ts'
import { type Explained, explain, problemText } from '../../bot/request/explain.ts'
import { silentSlot } from '../../bot/request/reply.ts'
import type { HandledRequest } from '../../bot/routes/command-context.ts'
import { type ResolveLine, splitCommand } from '../../bot/routes/resolve-line.ts'
import { type Entity, parseEntityRef } from './entities.ts'
import { buildPaneFields } from './fields.ts'

interface PaneDeps {
  resolve: ResolveLine
  runLine: RunLine
  access: Pick<Access, 'admit' | 'findRoles'>
  bindButtons: BindButtons
  clients: SlackClients
  disabledFeatures: ReadonlySet<string>
  log: Pick<Log, 'info'>
  now: () => Date
}

/**
 * Draws the pane of a work object for one viewer: what the viewer's own commands would show, with at most two of the buttons.
 * The lines run like typed ones, with the same permissions and audit log.
 */
export function createPanes(deps: PaneDeps): (request: EntityRequest) => RequestHandler {
  const { clients, disabledFeatures, log } = deps

  /** Only logs a failure, because Slack tells the viewer that the pane didn't load. */
  async function showPane(request: HandledRequest, triggerId: string, result: EntityResult): Promise<void> {
    try {
      await (await clients.forWorkspace(request)).presentEntity(triggerId, result)
    } catch (err) {
      log.info({ reference: request.reference, err }, 'A work object could not be shown.')
    }
  }

  return ({ ref, triggerId }) => {
    const entity = disabledFeatures.has('work-objects') ? undefined : parseEntityRef(ref)
    if (!entity || disabledFeatures.has(entity.kind.feature)) return {}
    return {
      verb: 'work object',
      async run(request) {
        await showPane(request, triggerId, await drawPane(deps, entity, request))
        return 'work object'
      },
      slotOptions: { noPlaceholder: true, isQuiet: true },
      async showProblem(request, problem) {
        const custom_message = [...problemText(problem), formatReference(problem, request)]
          .filter(Boolean)
          .join('\n')
        const { text } = entity.metadata.entity_payload.attributes.title
        await showPane(request, triggerId, {
          error: { status: 'custom', custom_title: text, custom_message },
        })
      },
    }
  }
}

const formatReference = ({ isFault }: Explained, { reference }: HandledRequest): string =>
  isFault ? `Reference: ${reference}` : ''

async function drawPane(deps: PaneDeps, entity: Entity, viewRequest: HandledRequest): Promise<EntityResult> {
  const { access, resolve, now } = deps
  const { kind, environment, metadata } = entity
  const request = { ...viewRequest, environment }
  const [first = ''] = entity.buildLines({ canSeePersonalData: false, canDecide: false })
  const admission = { needs: 'viewer', verb: resolve(splitCommand(first)).name, usesCache: true } as const
  const actor = await access.admit(request, admission).catch(ignoreRefusal)
  // People who aren't in this workspace, or have left it, see nothing.
  if (!actor) return { error: { status: 'restricted' } }
  const roles = await access.findRoles(request, actor, { usesCache: true })
  const lines = entity.buildLines({
    canSeePersonalData: canSeePersonalData(actor),
    canDecide: roles.has('approver'),
  })
  const answers = await Promise.all(
    lines.map((line, index) => {
      const answer = collectAnswer(deps, request, line)
      return index === 0 ? answer : answer.catch(createNotShownBlocks)
    }),
  )
  const clock = { timeZone: actor.timeZone, now: now() }
  return {
    metadata: {
      ...metadata,
      entity_payload: {
        attributes: metadata.entity_payload.attributes,
        ...buildPaneFields(answers, { name: kind.name, clock, lines }),
        actions: { primary_actions: await buildActions(deps, request, lines, answers.flat()) },
      },
    },
  }
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error
}

/** Runs a line and returns the blocks of its answer. Throws its errors. */
async function collectAnswer(
  { resolve, runLine }: PaneDeps,
  request: HandledRequest,
  line: string,
): Promise<KnownBlock[]> {
  let blocks: KnownBlock[] = []
  let isHidden: HandledRequest['isHidden']
  const slot = silentSlot(async (content) => {
    const all = ('classic' in content && content.classic?.()) || content.blocks.flat()
    blocks = isHidden ? withoutCommands(all, isHidden) : all
  })
  // `runLine` calls this before it puts the answer.
  slot.setRequest = (request) => {
    isHidden = request.isHidden
  }
  await runLine(request, resolve(splitCommand(line)), slot)
  return blocks
}

/** Shown in place of an answer that failed. */
const createNotShownBlocks = (error: unknown): KnownBlock[] => [
  header('Not shown'),
  section(problemText(explain(error, { isReadOnly: true }))[0]),
]

/** Slack accepts at most two buttons (https://docs.slack.dev/messaging/work-objects-implementation, November 2026). */
const MAX_ACTIONS = 2

/**
 * The first buttons of the answer, without those that open or share the object. A pane can't ask for confirmation, so buttons that
 * need one are only on the card.
 */
async function buildActions(
  { bindButtons }: PaneDeps,
  { workspaceId, environment }: HandledRequest,
  lines: readonly string[],
  blocks: readonly KnownBlock[],
): Promise<EntityActionButton[]> {
  const shownLines = new Set(lines.map(withoutFlags))
  const buttons = listCommands(blocks)
    .flat()
    .filter(
      ({ line, needsConfirmation }) =>
        !needsConfirmation && !/ --share\b/.test(line) && !shownLines.has(withoutFlags(line)),
    )
    .slice(0, MAX_ACTIONS)
    .map(({ label, line, style }) =>
      commandButton(label, line, style === 'primary' || style === 'danger' ? { style } : {}),
    )
  const bound = await bindButtons({ workspaceId }, environment, actions(...buttons))
  return bound
    .flatMap((block) => (block.type === 'actions' ? block.elements : []))
    .filter((element) => element.type === 'button')
    .map(({ text, action_id = '', value = '', style }) => ({
      text: text.text,
      action_id,
      value,
      ...(style && { style }),
    }))
}

const withoutFlags = (line: string): string => line.split(' --', 1)[0] ?? ''
