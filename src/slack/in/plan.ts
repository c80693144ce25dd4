import type { KnownBlock } from '@slack/types'
import { ANSWER } from '../../blocks/inputs.ts'
import { isInPlace, isOffer } from '../../blocks/offers.ts'
import { UserError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Drafts } from '../../store/drafts.ts'
import type { Desk } from '../answers/desk.ts'
import { type Explained, explain, problemMessage } from '../answers/explain.ts'
import type { SlackClients } from '../client/clients.ts'
import type { RunLine } from '../commands/run-line.ts'
import type { MendToken } from '../commands/token-mending.ts'
import { answersOf } from '../forms/form-answers.ts'
import { createSubmissions } from '../forms/submissions.ts'
import type { Uninstalled } from '../installs/uninstalling.ts'
import type { MakeAsk } from '../make-ask.ts'
import type { ModalDraft, OfferDraft, Origin, Place } from '../place.ts'
import type { Access } from '../rights/access.ts'
import type { RouteTable } from '../routes.ts'
import type { Planner } from './dispatch.ts'
import type { ActionRequest, ShortcutRequest } from './requests.ts'

/** Decides for every kind of request how it is acknowledged and what is then done. */
export function createPlanner(parts: {
  routes: RouteTable
  runLine: RunLine
  desk: Desk
  drafts: Drafts
  clients: SlackClients
  access: Access
  mendToken: MendToken
  ask: MakeAsk
  uninstalled: Uninstalled
  log: Log
  now: () => Date
  /** What this deployment puts in front of command names, e.g. `x-`. */
  prefix: string
}): Planner {
  const { routes, runLine, desk, drafts, clients, access, ask, log, uninstalled, now, prefix } = parts
  const submissions = createSubmissions({ ...parts, refreshHome, redraw })

  return (request, place) => {
    switch (request.kind) {
      case 'command': {
        const command = request.command.startsWith(prefix)
          ? request.command.slice(prefix.length)
          : request.command
        return { work: () => runLine(place, { command, text: request.text }) }
      }
      case 'action':
        return { work: (place) => act(request, place) }
      case 'submission':
        return submissions(request, place)
      case 'home':
        return { work: home, tell: homeProblem }
      case 'mention':
        return { work: (place) => mentioned(request.text, place) }
      case 'shortcut':
        return { work: (place) => pointedAt(request, place) }
      case 'uninstalled':
        return { first: (place) => uninstalled(request, place) }
      case 'other':
        return {}
    }
  }

  /** The words behind a mention are a command line without its slash; a command's first verb may stand alone. */
  function mentioned(said: string, place: Place): Promise<string> {
    const [first = '', ...rest] = said.trim().split(/\s+/)
    const command = first.replace(/^\//, '').toLowerCase()
    return routes.verbsOf(command)
      ? runLine(place, { command, text: rest.join(' ') })
      : runLine(place, { command: 'hc', text: said.trim() || 'help' })
  }

  async function pointedAt({ callbackId, message }: ShortcutRequest, place: Place): Promise<string> {
    const shortcut = routes.shortcutOf(callbackId)
    return shortcut ? runLine(place, shortcut.lineFor(message)) : 'nothing'
  }

  async function act(request: ActionRequest, place: Place): Promise<string> {
    if (isOffer(request.actionId)) return takeOffer(request, place)
    if (request.actionId === ANSWER && request.view) return follow(request.view, place)
    // A link button, or one of an older version: there is nothing to do, and it was acknowledged.
    return 'nothing'
  }

  async function takeOffer({ actionId, value }: ActionRequest, place: Place): Promise<string> {
    const [draftId = '', index = ''] = value.split('.')
    // Sealed by us under this workspace when the button was sent, hence of this type.
    const draft = (await drafts.find(place.workspaceId, draftId, now())) as OfferDraft | undefined
    const line = draft?.lines[Number(index)]
    if (!draft || !line)
      throw new UserError(
        'This button is too old: it no longer knows what it was for. Type the command again.',
      )
    const [command = '', ...words] = line.slice(1).split(' ')
    const here = {
      ...place,
      environment: draft.environment,
      channelId: place.channelId ?? draft.channelId,
      origin: originOf(draft, place),
    }
    return runLine(here, { command, text: words.join(' ') }, { inPlace: isInPlace(actionId) })
  }

  /** An answer changed that other fields follow from: the form is drawn again, and what was typed stays. */
  async function follow(view: NonNullable<ActionRequest['view']>, place: Place): Promise<string> {
    const form = routes.formOf(view.callbackId)
    const draft = (await drafts.find(place.workspaceId, view.metadata, now())) as ModalDraft | undefined
    if (!form?.follow || !draft) return 'nothing'
    await access.admit(place, form)
    const here = { ...place, channelId: draft.channelId }
    const blocks = form.follow(answersOf(view.values), draft.about, draft.environment).flat()
    const ready = await desk.sealed(here, draft.environment, blocks)
    const slack = await clients.of(place)
    // Of two changes in quick succession the later one draws the form: the earlier one's view is no more.
    await slack.updateView(view.id, submissions.formView(view, ready), view.hash).catch(unlessOvertaken)
    return form.id
  }

  /** What is shown beside a form that was just carried out is out of date. It is not worth a word when this fails. */
  async function redraw(place: Place, { line, environment, responseUrl, modalId }: Origin): Promise<void> {
    const there = { ...place, environment, responseUrl, modalId, triggerId: undefined, threadTs: undefined }
    const [command = '', ...words] = line.slice(1).split(' ')
    const options = { inPlace: true, quiet: true }
    await runLine(there, { command, text: words.join(' ') }, options).catch((error: unknown) =>
      log.info({ reference: place.reference, err: error }, 'An answer could not be drawn again.'),
    )
  }

  async function home(place: Place): Promise<string> {
    const view = routes.homeView()
    if (!view) return 'nothing'
    const actor = await access.admit(place, { needs: 'viewer', verb: 'home' })
    await publishHome(place, await view(ask(place, 'production', actor)))
    return 'home'
  }

  /** What was asked for is done and told by now: a Home that cannot be drawn must not look as if it had failed. */
  async function refreshHome(place: Place): Promise<void> {
    await home(place)
      .catch((error: unknown) => homeProblem(place, explain(error)))
      .catch(() => undefined)
  }

  /** An empty Home says nothing; this one says what the matter is. */
  async function homeProblem(place: Place, problem: Explained): Promise<void> {
    await publishHome(place, problemMessage(problem, place.reference).blocks)
  }

  async function publishHome(place: Place, blocks: KnownBlock[]): Promise<void> {
    const slack = await clients.of(place)
    await slack.publishHome(place.userId, await desk.sealed(place, 'production', blocks))
  }
}

/** Only what its reader alone sees is drawn again: a shared card shows what was shared. */
function originOf({ line, environment }: OfferDraft, place: Place): Origin | undefined {
  if (!line) return undefined
  if (place.modalId) return { line, environment, modalId: place.modalId }
  return place.isEphemeral && place.responseUrl
    ? { line, environment, responseUrl: place.responseUrl }
    : undefined
}

function unlessOvertaken(error: unknown): void {
  if (!(error instanceof Error && error.message.includes('hash_conflict'))) throw error
}
