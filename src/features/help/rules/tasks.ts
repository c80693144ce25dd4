/** What people want to do, and lines that they type for it. Help shows them as they are typed. */
type Task = readonly [title: string, ...lines: string[]]

/** The tasks that each command's help lists, most needed first. A person sees those that they may do. */
export const TASKS: Readonly<Record<string, readonly Task[]>> = {
  hc: [
    ['What is down, and who is on it', '/hc down', '/hc who'],
    ['A list', '/hc list shop*'],
    ['One health check. Response times aren’t measured.', '/hc checkout', '/hc history checkout 7d'],
    ['Alert this channel', '/hc watch shop*', '/hc watches'],
    ['Page someone if nobody reacts, or now', '/hc watch all --escalate "10m @lee"', '/hc page checkout'],
    ['Silence alerts', '/hc mute "Shop checkout" 2h', '/hc unmute all'],
    ['Plan maintenance', '/hc maintenance'],
    ['Add and change', '/hc create', '/hc edit shop* --frequency 30', '/hc import'],
    ['Who gets email', '/hc alerts checkout', '/hc recipients ann@example.com'],
    ['Roles, and who did what', '/hc access', '/hc grant @lee operator 8h', '/hc audit yesterday'],
    ['Connect the service', '/hc connect'],
  ],
  threat: [
    ['Look up an event', '/threat ID'],
    ['Take its case', '/threat take ID'],
    ['Add a note', '/threat note ID TEXT'],
    ['Say how it ended', '/threat close ID --as down'],
    ['Open cases', '/threat queue', '/threat queue mine'],
    ['Export indicators', '/threat export ID stix'],
  ],
  'cert-order': [
    ['Order a certificate', '/cert-order'],
    ['Renew or reissue one', '/cert-order renew CERT_ID', '/cert-order reissue CERT_ID'],
    ['Order the same again', '/cert-order again 12'],
    ['Your orders', '/cert-order list mine', '/cert-order show 12'],
    ['What waits for approval', '/cert-order list pending'],
    ['Decide', '/cert-order approve 12', '/cert-order reject 12'],
    ['Take yours back', '/cert-order withdraw 12'],
    ['Set the channel and domains', '/cert-order settings'],
  ],
}
