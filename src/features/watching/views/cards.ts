import { durationWords, lasted } from '@signalman/runtime'
import {
  card,
  clip,
  commandButton,
  type Fact,
  joined,
  type Line,
  lineElements,
  lines,
  type Message,
  oneLine,
} from '@signalman/slack'
import { checkAddress, checkName, statusSign } from '../../../bot/views/check-facts.ts'
import { badgeOf } from '../../../domain/environment.ts'
import type { PollFailure } from '../../../domain/outages/outage.ts'
import { quoted } from '../../../domain/quoting.ts'
import { counted } from '../../../domain/wording.ts'
import type {
  BlindModel,
  CardModel,
  DetailLine,
  DetailsModel,
  FlappingModel,
  OutageModel,
} from '../rules/describe-card.ts'
import {
  acknowledgementFacts,
  cardControls,
  manyView,
  personName,
  reportButton,
  runbookLines,
} from './many-cards.ts'
import { DOWN_WORDS, IN_ALL_WORDS, STILL_WORDS, UNWATCHED, UP_WORDS, WAS_WORDS } from './words.ts'

/** A card as it should look now. */
export function cardView(model: CardModel): Message {
  switch (model.kind) {
    case 'outage':
      return outageView(model)
    case 'flapping':
      return flappingView(model)
    case 'blind':
      return blindView(model)
    default:
      return manyView(model)
  }
}

const ENDINGS = {
  recovered: (check: string, model: OutageModel) => `🟢 ${check} ${UP_WORDS[model.status]}`,
  installing: (check: string) => `🟡 ${check} is being installed again`,
  deleted: (check: string, { status }: OutageModel) =>
    `⚪ ${check} was deleted while it ${WAS_WORDS[status]}`,
  unseen: (check: string, { status }: OutageModel) => `⚪ ${check} ${WAS_WORDS[status]} when watching ended`,
} as const

function outageTitle(model: OutageModel): string {
  const check = `${checkName(model.check)}${badgeOf(model.environment)}`
  if (model.state !== 'down') return ENDINGS[model.state](check, model)
  return model.unwatchedAt
    ? `⚪ ${check} ${WAS_WORDS[model.status]} ${UNWATCHED}`
    : `${statusSign(model.status)} ${check} ${DOWN_WORDS[model.status]}`
}

/** While it is down, what is to be decided on; afterwards how it was, in one line. */
function outageView(model: OutageModel): Message {
  const { since, endedAt, earlier, state, acknowledged } = model
  const before: Fact = [
    'Before that',
    earlier > 0 ? `${STILL_WORDS[model.status]} ${counted(earlier, 'time')} more, told here` : undefined,
  ]
  if (state === 'down') return oneCheckCard(model, [outageTitle(model), ' · since ', since], false, [before])
  const was = endedAt ? ` · ${WAS_WORDS[model.status]} ${lasted(since, endedAt)}` : ''
  const by = acknowledged ? ` · ${personName(acknowledged)} was on it` : ''
  return oneCheckCard({ ...model, acknowledged: undefined }, [outageTitle(model), was, by], true, [
    ['From', endedAt && [since, ' to ', endedAt]],
    before,
  ])
}

const DOWN_NOW = {
  UNHEALTHY: ['🔴', 'and is down now'],
  INSTALLING: ['🟡', 'and is installing now'],
} as const
const FLAPPING_NOW = {
  up: ['🟢', 'and is up now'],
  installing: ['🟡', 'and is being installed'],
  deleted: ['⚪', 'and was deleted'],
  unseen: ['⚪', 'and is not watched any more'],
} as const

function flappingView(model: FlappingModel): Message {
  const { check, since, lastAt, overAt, flips, downMs, now } = model
  const [sign, words] = now === 'down' ? DOWN_NOW[model.status] : FLAPPING_NOW[now]
  const name = `${checkName(check)}${badgeOf(model.environment)}`
  const goesOn = model.unwatchedAt
    ? `⚪ ${name} was flapping ${UNWATCHED}`
    : `🟠 ${name} is flapping ${words}`
  const title = overAt ? `${sign} ${name} has stopped flapping ${words}` : goesOn
  return oneCheckCard(model, [title, ' · since ', since], overAt !== undefined && now !== 'down', [
    ['Changed', counted(flips, 'time')],
    ['Last change', lastAt],
    [IN_ALL_WORDS[model.status], durationWords(downMs)],
    ['Quiet since', overAt],
  ])
}

function oneCheckCard(
  model: OutageModel | FlappingModel,
  answer: Line,
  isOver: boolean,
  entries: readonly Fact[],
): Message {
  const { check, environment } = model
  const id = quoted(check.uuid)
  const [address, customer] = [checkAddress(check), check.customerId]
  const isDone = isOver || model.unwatchedAt !== undefined
  const all: Fact[] = [['Customer', customer], ...entries, ...acknowledgementFacts(model, isOver)]
  const look = model.kind === 'outage' ? model.firstLook : undefined
  const notes: Line[] = [
    ...(address ? [address] : []),
    ...(look ? [`Seen from here: ${look.phrase}`] : []),
    ...runbookLines(model),
  ]
  const about = isDone ? onOneLine([['', address || undefined], ...all]) : undefined
  return card({
    answer,
    ...(about === undefined && { notes, facts: all }),
    small: [...(about ? [about] : []), ...testNote(environment)],
    controls: cardControls(model, isDone, { kind: 'check', uuid: check.uuid, name: check.name }, [
      commandButton('Diagnose', `/hc diagnose ${id}`),
    ]),
    more: [
      commandButton('History', `/hc history ${id}`),
      commandButton('Show', `/hc show ${id}`),
      ...(model.runbooks ? [commandButton('Runbook', `/hc runbook ${id}`)] : []),
      ...(isOver ? [reportButton(model)] : []),
    ],
  })
}

/** `HTTPS shop.example.com · customer 1100`: what is over needs no more room. */
const onOneLine = (entries: readonly Fact[]): Line =>
  joined(
    entries.flatMap(([label, value]): Line[] =>
      value === undefined ? [] : [[label === '' ? '' : `${label.toLowerCase()} `, ...lineElements(value)]],
    ),
    ' · ',
  )

const testNote = (environment: CardModel['environment']): Line[] =>
  environment === 'ote' ? ['OTE test environment'] : []

const BLIND_BECAUSE: Readonly<Record<PollFailure, string>> = {
  unreachable: 'The service does not answer.',
  failing: 'The service answers that it has a fault of its own (HTTP 5xx).',
  refused: 'The service refuses to answer (HTTP 4xx): the stored token may lack a right.',
  'rate-limited': 'The service is asked too often (HTTP 429): it wants to be left alone for a while.',
  unreadable: 'The service answers with something that cannot be read.',
  unauthorized: 'The service does not take the stored token any more. An admin can replace it.',
  'not-connected': 'No token of the service is stored. An admin can store one.',
  late: 'Signalman does not get to asking the service. Whoever runs it can read why in its log.',
}

const TOKEN_MENDS: ReadonlySet<PollFailure> = new Set(['unauthorized', 'not-connected', 'refused'])

function blindView(model: BlindModel): Message {
  const { environment, why, since, endedAt, meanwhile, unwatchedAt } = model
  const where = `the health checks${badgeOf(environment)}`
  const isOver = endedAt !== undefined || unwatchedAt !== undefined
  const unseen = unwatchedAt ? `⚪ I could not see ${where} ${UNWATCHED}` : `⚫ I cannot see ${where}`
  return card({
    answer: endedAt
      ? [`🟢 I can see ${where} again`, ` · could not for ${lasted(since, endedAt)}`]
      : [unseen, ' · since ', since],
    notes: [isOver ? `The reason then: ${BLIND_BECAUSE[why]}` : BLIND_BECAUSE[why]],
    facts: [
      ['From', endedAt && [since, ' to ', endedAt]],
      ['Meanwhile', endedAt && meanwhileWords(meanwhile)],
    ],
    small: [
      ...(endedAt ? ['What was down and came back in between, nobody saw.'] : []),
      ...(isOver ? [] : ['Nothing is told here until it can be seen again: no news is not good news.']),
      ...testNote(environment),
    ],
    controls:
      isOver || !TOKEN_MENDS.has(why)
        ? []
        : [commandButton('Store a token', `/hc connect --env ${environment}`)],
    more: [commandButton('Summary', '/hc')],
  })
}

function meanwhileWords(meanwhile: BlindModel['meanwhile']): string {
  if (!meanwhile || meanwhile.down + meanwhile.up === 0) return 'nothing is different from before'
  const { down, up } = meanwhile
  const parts = [
    ...(down > 0 ? [`${counted(down, 'health check')} went down`] : []),
    ...(up > 0 ? [`${counted(up, 'health check')} came up`] : []),
  ]
  return parts.join(', ')
}

const TITLE = 200
const NAME = 80

/** What happened, first to last: the one reply in a card's thread. */
export function detailsView({ title, lines: said, leftOut, environment }: DetailsModel): Message {
  return card({
    answer: `${clip(oneLine(title), TITLE)}${badgeOf(environment)}`,
    notes:
      leftOut > 0
        ? [`Left out: ${counted(leftOut, 'earlier change')}; /hc report has all of them, as a file.`]
        : [],
    body: said.length > 0 ? [lines(...said.map((line) => [line.at, `  ${happened(line)}`]))] : [],
  })
}

export function happened(line: DetailLine): string {
  const { what, status = 'UNHEALTHY', check, downMs, byName, from, look } = line
  const name = check ? clip(checkName(check), NAME) : ''
  const after = downMs === undefined ? '' : ` after ${durationWords(downMs)}`
  const isInstalling = status === 'INSTALLING'
  const says = {
    down: isInstalling ? `${statusSign('INSTALLING')} ${name} began to be installed` : `🔴 ${name} went down`,
    already: `${statusSign(status)} ${name} was ${STILL_WORDS[status]} already when watching began`,
    up: isInstalling ? `🟢 ${name} was installed${after}` : `🟢 ${name} came up${after}`,
    installing: `${statusSign('INSTALLING')} ${name} is being installed again${after}`,
    deleted: `⚪ ${name} was deleted${after}`,
    unseen: `⚪ ${name} is not watched any more${after}`,
    acknowledged: `👤 ${byName ?? 'Somebody'} ${from ? `took it over from ${from}` : 'is on it'}`,
    looked: `🔎 ${name} seen from here: ${look?.phrase ?? ''}${look?.detail ? ` (${look.detail})` : ''}`,
  }[what]
  return says.trim()
}
