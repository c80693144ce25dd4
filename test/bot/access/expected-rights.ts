/** The least that someone has to be to use something. Everyone named later can use it too, but operators and approvers only what is theirs. */
export type Audience = 'guests' | 'members' | 'operators' | 'approvers' | 'admins'

interface Expected {
  readonly who: Audience
  /** What is typed after the verb, in a workspace with a check `shop`, order 1, and the threat event `THREAT`. */
  readonly typed: string
}

export const THREAT = '7e57ed00-0000-4000-8000-00000000000a'

const verbs = (who: Audience, typed: Readonly<Record<string, string>>): [string, Expected][] =>
  Object.entries(typed).map(([line, words]) => [line, { who, typed: words }])

/**
 * Who may use each verb, typed and as a button. Written by hand, not read from the declarations: a new verb fails the matrix until
 * somebody has decided here who may use it.
 */
export const EXPECTED_VERBS: ReadonlyMap<string, Expected> = new Map([
  ...verbs('guests', {
    '/hc': '',
    '/hc list': 'shop*',
    '/hc down': '',
    '/hc show': 'shop',
    '/hc alerts': 'shop',
    '/hc watches': '',
    '/hc history': 'shop',
    '/hc who': '',
    '/hc access': '',
    '/hc version': '',
    '/hc help': '',
    '/threat': THREAT,
    '/threat details': THREAT,
    '/threat dns': THREAT,
    '/threat copy': THREAT,
    '/threat help': '',
    '/cert-order list': '',
    '/cert-order show': '1',
    '/cert-order help': '',
  }),
  ...verbs('members', {
    '/hc watch-ack': 'card',
    '/hc watch-page': 'card',
    '/hc page': 'shop',
    '/hc role-ask': 'operator',
    '/hc watch-step-down': 'card',
    '/threat comments': THREAT,
    '/threat whois': THREAT,
    '/threat screenshot': THREAT,
    '/threat source': THREAT,
    '/threat case': THREAT,
    '/threat queue': '',
    '/cert-order': '',
    '/cert-order renew': 'shop.example.com',
    '/cert-order reissue': 'shop.example.com',
    '/cert-order again': '1',
    '/cert-order file': '1',
    '/cert-order withdraw': '1',
  }),
  ...verbs('operators', {
    '/hc create': 'blog',
    '/hc edit': 'shop --frequency 30',
    '/hc delete': 'shop',
    '/hc recipients': 'ann@example.com',
    '/hc apply': 'preview',
    '/hc preview-file': 'preview',
    '/hc job-stop': 'job',
    '/hc export': 'shop',
    '/hc import': '',
    '/hc alert-add': 'shop',
    '/hc alert-edit': 'shop 1',
    '/hc alert-remove': 'shop 1',
    '/hc watch': 'shop',
    '/hc unwatch': 'shop',
    '/hc watch-edit': 'shop',
    '/hc watch-resume': '',
    '/hc mute': 'shop 2h',
    '/hc unmute': 'shop',
    '/hc watch-mute': 'card 2h',
    '/hc maintenance': 'shop now 2h',
    '/hc maintenance-edit': 'shop',
    '/hc env': 'ote',
    '/threat export': THREAT,
    '/threat take': THREAT,
    '/threat note': `${THREAT} seen`,
    '/threat close': `${THREAT} --as down`,
  }),
  ...verbs('approvers', {
    '/cert-order approve': '1',
    '/cert-order reject': '1 no',
    '/cert-order resolve': '1 failed',
  }),
  ...verbs('admins', {
    '/hc connect': '',
    '/hc disconnect': '',
    '/hc tokens': '',
    '/hc token-generate': '',
    '/hc grant': '@member operator',
    '/hc revoke': '@member operator',
    '/hc audit': '',
    '/cert-order settings': '',
  }),
])

/** Who may submit each form, and search in its menus. */
export const EXPECTED_FORMS: Readonly<Record<string, Audience>> = {
  'health-checks.create': 'operators',
  'health-checks.edit': 'operators',
  'health-checks.deletion': 'operators',
  'health-checks.import': 'operators',
  'alerts.add': 'operators',
  'alerts.edit': 'operators',
  'alerts.remove': 'operators',
  'watching.watch': 'operators',
  'watching.maintenance': 'operators',
  'connection.connect': 'admins',
  'connection.disconnect': 'admins',
  'cert-orders.order': 'members',
  'cert-orders.approve': 'approvers',
  'cert-orders.reject': 'approvers',
  'cert-orders.resolve': 'approvers',
  'cert-orders.settings': 'admins',
}
