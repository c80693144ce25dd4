/** What people do with a command: the name of the job, and its commonest lines. */
type Job = readonly [title: string, ...lines: string[]]

/** What each command is used for, in the order in which people come to it. */
export const JOBS: Readonly<Record<string, readonly Job[]>> = {
  hc: [
    ['See', '/hc', '/hc list shop*', '/hc show NAME', '/hc history NAME'],
    ['Change', '/hc create', '/hc edit NAME', '/hc delete NAME'],
    ['Many at once', '/hc edit shop* --frequency 45', '/hc import', '/hc export'],
    ['Be told', '/hc watch shop*', '/hc watch shop* --escalate "10m @oncall"', '/hc watches'],
    ['Quiet', '/hc mute NAME 2h', '/hc unmute NAME', '/hc maintenance shop* --from 22:00 --for 2h'],
    ['Who is mailed', '/hc alerts NAME', '/hc recipients ADDRESS'],
    ['Threats and certificates', '/threat ID', '/cert-order', '/cert-order list'],
    ['Who may, who did', '/hc whoami', '/hc access', '/hc audit'],
  ],
  threat: [
    ['Look up', '/threat ID', '/threat details ID', '/threat find DOMAIN'],
    ['Work on it', '/threat take ID', '/threat case ID', '/threat queue'],
    ['Take it down', '/threat kit ID', '/threat takedown-sent ID', '/threat watch ID'],
    ['Hand on', '/threat export ID', '/threat screenshot ID', '/threat copy ID'],
  ],
  'cert-order': [
    ['Ask', '/cert-order', '/cert-order renew CERT_ID', '/cert-order reissue CERT_ID'],
    ['See', '/cert-order list', '/cert-order show N', '/cert-order csr N'],
    ['Decide', '/cert-order approve N', '/cert-order edit N', '/cert-order reject N'],
    ['Set the rules', '/cert-order policy', '/cert-order rules'],
  ],
}

const MAILED = ['recipients', 'alerts'] as const
const DECIDED = ['/cert-order list', '/cert-order approve'] as const

/** Words that people bring from elsewhere, and what they mean here: one line, or a choice. */
export const OTHER_WORDS: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>> = {
  hc: {
    ack: ['watches', 'mute'],
    acknowledge: ['watches', 'mute'],
    pause: ['mute', 'unwatch'],
    resume: ['unmute', 'watches'],
    silence: 'mute',
    snooze: 'mute',
    quiet: 'mute',
    unsilence: 'unmute',
    escalate: 'watch',
    oncall: 'watch',
    planned: 'maintenance',
    downtime: ['maintenance', 'history'],
    uptime: 'history',
    sla: 'history',
    outages: 'history',
    subscribe: 'watch',
    follow: 'watch',
    unsubscribe: 'unwatch',
    unfollow: 'unwatch',
    who: ['recipients', 'access'],
    mail: MAILED,
    email: MAILED,
    emails: MAILED,
    log: 'audit',
    logs: 'audit',
    me: 'whoami',
    rights: 'access',
    roles: 'access',
    permissions: 'access',
    login: 'connect',
    token: 'tokens',
    undo: 'jobs',
    approve: DECIDED,
    reject: ['/cert-order list', '/cert-order reject'],
    order: '/cert-order',
    certificate: '/cert-order',
    threat: '/threat',
  },
  threat: {
    lookup: '',
    search: 'find',
    claim: 'take',
    assign: 'take',
    mine: 'queue --mine',
    cases: 'queue',
    close: ['down', 'false-positive'],
    fp: 'false-positive',
    sent: 'takedown-sent',
    takedown: ['kit', 'takedown-sent'],
  },
  'cert-order': {
    new: '',
    order: '',
    status: 'list',
    mine: 'list --mine',
    orders: 'list',
    cancel: 'withdraw',
    repeat: 'again',
    who: 'show',
    limits: 'policy',
  },
}
