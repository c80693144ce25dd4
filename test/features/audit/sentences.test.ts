import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../../packages/durable/src/audit/row.ts'
import { auditView } from '../../../src/features/audit/views/audit.ts'
import { PAST_TENSES } from '../../../src/features/audit/views/sentences.ts'
import { WORKSPACE } from '../../world.ts'

type Case = Pick<AuditEntry, 'verb'> & Partial<AuditEntry> & { object: string }

const EVENT = 'threat event 7e57ed00-0000-4000-8000-000000000001'
const CHECK = 'health-check 6f1c0d52-4f0e-4a5e-9d51-0b6c1a9a7e11 (web)'
const ID = 'A9vHJCuyQAyScAtpSvTlWw'
const ORDER = 'order 3: create shop.example.com'
const ROLE = 'role operator of U0ADMIN001'
const MAX = '<@U0ADMIN001>'

/** The audit row's sentence, without who did it. */
function describeEntry({ verb, object, ...changes }: Case): string {
  const entry: AuditEntry = {
    ...{ workspaceId: WORKSPACE, at: new Date(0), actor: { userId: 'U0MEMBER01' }, outcome: 'done' },
    ...{ reference: 'ref', sequence: 1, hash: 'h', verb, object, ...changes },
  }
  const { text = '' } = auditView({
    ...{ folds: [{ entry, rows: 1, firstSequence: 1 }], filters: {}, before: undefined },
    ...{ isUngrouped: false, isOlderPage: false, hasDetails: false },
  })
  return text.split('\n')[1]?.replace('<@U0MEMBER01> ', '') ?? ''
}

const CASES: [string, Case][] = [
  ['created health check web', { verb: '/hc create', object: 'health-check web' }],
  ['changed health check web', { verb: '/hc edit', object: CHECK }],
  ['deleted health check web (OTE)', { verb: '/hc delete', object: `${CHECK} (OTE)` }],
  [
    'deleted health check web, through a proxy',
    { verb: '/hc delete', object: CHECK.replace('web', 'web, through a proxy') },
  ],
  ['created health check web-2 as a copy', { verb: '/hc clone', object: 'health-check web-2' }],
  ['changed the alert recipients of health check web', { verb: '/hc recipients', object: CHECK }],
  ['imported health check web', { verb: '/hc import', object: CHECK }],
  ['undid a change of health check web', { verb: '/hc undo', object: CHECK }],
  ['added an alert to health check web', { verb: '/hc alert-add', object: CHECK }],
  ['changed an alert of health check web', { verb: '/hc alert-edit', object: CHECK }],
  ['removed an alert of health check web', { verb: '/hc alert-remove', object: CHECK }],
  ['started the bulk change', { verb: '/hc job-start', object: `job ${ID}` }],
  [
    'started the job “Set port: web*” (OTE)',
    { verb: '/hc job-start', object: `job ${ID} (Set port: web*) (OTE)` },
  ],
  ['stopped the import', { verb: '/hc job-stop', object: `import ${ID}` }],
  ['stopped the import “a (1).csv”', { verb: '/hc job-stop', object: `import ${ID} (a (1).csv)` }],
  ['exported the preview of the change Delete: web*', { verb: '/hc bulk-file', object: 'Delete: web*' }],
  [
    'answered a question about the server addresses of 3 health checks',
    { verb: '/hc import', object: 'server addresses of 3 health checks' },
  ],
  ['confirmed account 4f2a as the same account', { verb: '/hc same-account', object: 'account 4f2a' }],

  ['watched name web*', { verb: '/hc watch', object: `watch ${ID} (name web*)` }],
  [
    'stopped watching every health check',
    { verb: '/hc unwatch', object: `watch ${ID} (every health check)` },
  ],
  [
    'set the daily summary of <#C0OPERATNS> (OTE)',
    { verb: '/hc watch', object: 'digest C0OPERATNS (OTE)', after: { hour: 9 } },
  ],
  [
    'ended the daily summary of <#C0OPERATNS>',
    { verb: '/hc unwatch', object: 'digest C0OPERATNS', after: 'off' },
  ],
  ['ended the daily summary of a DM', { verb: '/hc unwatch', object: 'digest D0OPERATNS', after: 'off' }],
  ['posted what was already down for a watch', { verb: '/hc watch-post', object: `watch ${ID}` }],
  [
    'resumed the watches of channel <#C0OPERATNS>',
    { verb: '/hc watch-resume', object: 'channel C0OPERATNS' },
  ],
  ['posted a test outage in channel <#C0OPERATNS>', { verb: '/hc watch-test', object: 'channel C0OPERATNS' }],
  [
    'posted a test outage in a thread in <#C0OPERATNS>',
    { verb: '/hc watch-test', object: 'channel C0OPERATNS/1767225600.000100' },
  ],
  ['posted a test outage in a DM', { verb: '/hc watch-test', object: 'channel D0OPERATNS' }],
  ['paged someone about the outages of a card', { verb: '/hc page', object: `card ${ID}` }],
  ['acknowledged the outages of a card', { verb: '/hc watch-ack', object: `card ${ID}` }],
  [
    'stepped down from the outages of a card (OTE)',
    { verb: '/hc watch-step-down', object: `card ${ID} (OTE)` },
  ],
  ['stepped down from all outages', { verb: '/hc watch-step-down', object: 'card production' }],
  [
    `handed over the outages of a card to ${MAX}`,
    { verb: '/hc watch-hand-over', object: `card ${ID}`, after: { to: 'U0ADMIN001' } },
  ],
  [
    `sent a message to ${MAX} about handing over 2 outages`,
    {
      ...{ verb: '/hc watch-hand-over', object: 'message to U0ADMIN001' },
      after: { about: 'handing over 2 outages' },
    },
  ],
  ['muted web', { verb: '/hc mute', object: `mute ${ID} (web)` }],
  ['unmuted web (OTE)', { verb: '/hc unmute', object: `mute ${ID} (web) (OTE)` }],
  ['planned maintenance of media*', { verb: '/hc maintenance', object: `maintenance ${ID} (media*)` }],
  ['changed maintenance of media*', { verb: '/hc maintenance-edit', object: `maintenance ${ID} (media*)` }],
  ['ended maintenance of media*', { verb: '/hc maintenance-end', object: `maintenance ${ID} (media*)` }],

  [
    `handed over the outages of <@U0OTHER001> to ${MAX}`,
    { verb: '/hc handover', object: 'outages of U0OTHER001', after: { onIt: 'U0ADMIN001' } },
  ],
  [
    `handed over the watch of name web* to ${MAX}`,
    { verb: '/hc handover', object: `watch ${ID} (name web*)`, after: { owner: 'U0ADMIN001' } },
  ],
  [
    `handed over order 3 for shop.example.com to ${MAX}`,
    { verb: '/hc handover', object: ORDER, after: { requestedBy: 'U0ADMIN001' } },
  ],
  [
    `handed over threat event 7e57…0001 to ${MAX}`,
    { verb: '/hc handover', object: EVENT, after: { holder: 'U0ADMIN001' } },
  ],
  [
    `handed over the job “Set port: web*” to ${MAX}`,
    { verb: '/hc handover', object: `job ${ID} (Set port: web*)`, after: { owner: 'U0ADMIN001' } },
  ],
  [
    `sent a message to ${MAX} about handing over 1 watch`,
    { verb: '/hc handover', object: 'message to U0ADMIN001', after: { about: 'handing over 1 watch' } },
  ],
  [
    `tried to send a message to ${MAX}`,
    { verb: '/hc handover', object: 'message to U0ADMIN001', outcome: 'failed' },
  ],
  [`exported what ${MAX} owns`, { verb: '/hc handover-file', object: 'what U0ADMIN001 owns' }],

  [
    'stored a token for the connection to production',
    { verb: '/hc connect', object: 'connection to production' },
  ],
  [
    'removed the token of the connection to the OTE environment',
    { verb: '/hc disconnect', object: 'connection to the OTE environment (OTE)' },
  ],
  [
    'generated a token for the connection to production',
    { verb: '/hc token-generate', object: 'connection to production' },
  ],
  ['switched the environment of channel <#C0GENERAL1>', { verb: '/hc env', object: 'channel C0GENERAL1' }],
  [
    'switched channel <#C0GENERAL1> to production',
    { verb: '/hc env', object: 'channel C0GENERAL1 (OTE)', after: { environment: 'production' } },
  ],

  [`gave the operator role to ${MAX}`, { verb: '/hc grant', object: ROLE }],
  ['gave the operator role to everyone', { verb: '/hc access-add', object: 'role operator of everyone' }],
  [
    'gave the operator role to <!subteam^S0ONCALL01>',
    { verb: '/hc access-add', object: 'role operator of S0ONCALL01' },
  ],
  [`gave the operator role to ${MAX}`, { verb: '/hc access-grant', object: ROLE }],
  [`declined the operator role for ${MAX}`, { verb: '/hc access-decline', object: ROLE }],
  [`requested the operator role for ${MAX}`, { verb: '/hc access-request', object: ROLE }],
  [`changed the operator role of ${MAX}`, { verb: '/hc access-change', object: ROLE }],
  [`ended the operator role of ${MAX}`, { verb: '/hc access-end', object: ROLE }],
  [`changed the operator role of ${MAX}`, { verb: 'role.save', object: ROLE }],
  ['changed the setting cert-orders.policy', { verb: 'setting.save', object: 'cert-orders.policy' }],
  ['restored the database', { verb: 'store.restore', object: 'database' }],
  ['changed the operator role', { verb: '/hc access', object: 'role operator' }],
  ['changed what guests can see', { verb: '/hc access-settings', object: 'what guests can see' }],

  ['made an export of the audit log', { verb: '/hc audit', object: 'export of the audit log' }],
  ['deleted 9 expired audit entries', { verb: '/hc audit-delete', object: '9 expired audit entries' }],
  ['deleted expired entries of the audit log', { verb: 'audit.retention', object: 'audit log' }],
  ['erased the data of a person', { verb: 'audit.erase', object: 'a person' }],
  [
    'deleted everything of this workspace',
    { verb: 'workspace.erase', object: 'everything of this workspace' },
  ],
  ['installed Signalman in workspace T0PLAYGRND', { verb: 'install', object: 'workspace T0PLAYGRND' }],
  [
    'uninstalled Signalman after the Slack event app_uninstalled',
    { verb: 'uninstall', object: 'app_uninstalled' },
  ],

  ['changed the order settings', { verb: '/cert-order settings', object: 'order settings' }],
  [
    'requested a certificate for shop.example.com',
    { verb: '/cert-order', object: 'order: create shop.example.com' },
  ],
  [
    'requested a renewal of shop.example.com',
    { verb: '/cert-order', object: 'order: renew shop.example.com' },
  ],
  [
    'requested a reissue of shop.example.com',
    { verb: '/cert-order', object: 'order: reissue shop.example.com' },
  ],
  ['approved order 3 for shop.example.com', { verb: '/cert-order approve', object: ORDER }],
  ['rejected order 3 for shop.example.com', { verb: '/cert-order reject', object: ORDER }],
  ['withdrew order 3 for shop.example.com', { verb: '/cert-order withdraw', object: ORDER }],
  ['sent order 3 for shop.example.com', { verb: '/cert-order submit', object: ORDER }],
  ['recorded the outcome of order 3 for shop.example.com', { verb: '/cert-order resolve', object: ORDER }],
  ['let order 3 for shop.example.com expire', { verb: '/cert-order expire', object: ORDER }],
  ['sent a reminder of order 3 for shop.example.com', { verb: '/cert-order remind', object: ORDER }],

  ['looked up threat event 7e57…0001', { verb: '/threat', object: EVENT }],
  ['read the details of threat event 7e57…0001', { verb: '/threat details', object: EVENT }],
  ['read the DNS records of threat event 7e57…0001', { verb: '/threat dns', object: EVENT }],
  ['read the comments on threat event 7e57…0001', { verb: '/threat comments', object: EVENT }],
  ['read the WHOIS record of threat event 7e57…0001', { verb: '/threat whois', object: EVENT }],
  ['copied threat event 7e57…0001', { verb: '/threat copy', object: EVENT }],
  ['exported threat event 7e57…0001', { verb: '/threat export', object: EVENT }],
  ['read the screenshot of threat event 7e57…0001', { verb: '/threat screenshot', object: EVENT }],
  ['read the source of threat event 7e57…0001', { verb: '/threat source', object: EVENT }],
  ['took threat event 7e57…0001', { verb: '/threat take', object: EVENT }],
  ['added a note to threat event 7e57…0001', { verb: '/threat note', object: EVENT }],
  ['closed the case of threat event 7e57…0001', { verb: '/threat close', object: EVENT }],

  ['shared the answer to /hc list web', { verb: '/hc list', object: 'share /hc list web' }],
  [
    'tried to share the answer to /threat x',
    { verb: '/threat', object: 'share /threat x', outcome: 'refused' },
  ],
  ['tried to open App Home', { verb: 'home', object: '', outcome: 'refused' }],
  ['used /hc new-verb on health check web', { verb: '/hc new-verb', object: CHECK }],
]

describe('the sentence of an audit entry', () => {
  it.each(CASES)('reads “%s”', (sentence, entry) => {
    expect(describeEntry(entry)).toBe(sentence)
  })

  it('is tested for each verb that has a past tense', () => {
    const tested = new Set(CASES.map(([, { verb }]) => verb.split(' ').at(-1)))
    expect(Object.keys(PAST_TENSES).filter((verb) => !tested.has(verb))).toEqual([])
  })
})
