import { expect, it } from 'vitest'
import { answerTyped, readTypedLine } from './real-verbs.ts'

const ID = '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d'

/**
 * Lines that people type into bots like this one, collected before any of them was tried; what they mean by them, or `=` if it is what they
 * typed; and the words that the offer leaves out, and says so. After `!`, the answer says what Signalman doesn't do, and leads on.
 */
const LINES = `
/hc what's down | /hc down
/hc ack shop checkout | ! /hc show Shop checkout
/hc snooze bank 2h | /hc mute bank 2h
/hc unsnooze bank | /hc unmute bank
/hc maintenance shop checkout tonight 10pm-11pm | /hc maintenance Shop checkout from today 10pm until 11pm
/hc maintenance list | ! /hc watches
/hc cancel maintenance shop | /hc unmute shop
/hc history media newsroom last week | =
/hc uptime bank 30d | /hc history bank 30d
/hc page oncall for shop checkout | ! /hc page Shop checkout | oncall
/hc oncall | ! /hc watches
/hc subscribe #C0GENERAL1 to bank online banking | /hc watch Bank online banking #C0GENERAL1
/hc notify me media newsroom | /hc watch Media newsroom
/hc unsubscribe bank | /hc unwatch bank
/hc note shop "vendor is looking at it" | ! /hc down
/hc add https://status.example.com | /hc create https://status.example.com
/hc create check Payroll https://payroll.example.com every 5 min | /hc create Payroll https://payroll.example.com every 5min
/hc add tcp db.example.com:5432 | /hc create db.example.com:5432 tcp
/hc ls | /hc list
/hc run shop checkout now | ! /hc show Shop checkout
/hc set interval shop checkout 30s | /hc edit Shop checkout --frequency 30s
/hc edit shop checkout url https://shop.example.com/health | /hc edit Shop checkout --target https://shop.example.com/health
/hc rename Media newsroom to News desk | /hc edit Media newsroom --name "News desk"
/hc maintenance tomorrow 2am to 4am shop* | /hc maintenance shop* from tomorrow 2am until 4am
/hc disable media newsroom | ! /hc mute Media newsroom
/hc enable media newsroom | ! /hc unmute Media newsroom
/hc rm media newsroom | /hc delete Media newsroom
/hc set Shop checkout frequency to 60 | /hc edit Shop checkout --frequency 60
/hc what's down right now? | /hc down
/hc watching | ! /hc watches
/hc I'm on it | ! /hc down
/threat subscribe --severity high | ! /threat queue
/hc muted | ! /hc watches
/cert-order failed 2 CA refused it | ! /cert-order show 2
/cert-order allow example.net | ! /cert-order settings | example.net
/hc anything broken? | ! /hc down
/hc monitor www.example.net every 5 minutes | /hc create www.example.net every 5minutes
/threat show me open threats | ! /threat queue
/hc route bank alerts to #C0OPERATIONS | /hc watch bank #C0OPERATIONS
/hc export csv | =
/threat list open | ! /threat queue
/threat show ID | /threat ID
/threat assign ID to me | ! /threat take ID
/threat close ID false positive | =
/threat comment ID user confirmed it was them | /threat note ID user confirmed it was them
/threat escalate ID to sev1 | ! /threat queue
/threat block ip 203.0.113.9 | ! /threat help export
/cert-order new cert for shop.example.com | /cert-order shop.example.com
/cert-order *.example.com san api.example.com 1 year | /cert-order *.example.com api.example.com 1 year | san
/cert-order deny 12 wrong domain | /cert-order reject 12 wrong domain
/cert-order expiring next 30 days | ! /cert-order list
/hc make @member operator | /hc grant @member operator
/hc audit log yesterday | /hc audit yesterday
/hc who changed checkout | ! /hc audit checkout
/hc who changed Shop checkout yesterday | ! /hc audit Shop checkout yesterday
/hc who muted kiosk | ! /hc audit kiosk
/hc mute Shop checkout for 2 hours | =
/hc please mute Shop checkout for 30 minutes | /hc mute Shop checkout 30 minutes
/hc unack Shop checkout | ! /hc show Shop checkout
/hc step down shop checkout | ! /hc show Shop checkout
/hc resolve Shop checkout | ! /hc mute Shop checkout
/hc pause Shop checkout | ! /hc mute Shop checkout
/hc resume Shop checkout | ! /hc unmute Shop checkout
/hc unmute shop checkout please | /hc unmute Shop checkout
/hc mute Shop checkout until tomorrow 9am | =
/hc mute Shop checkout, Shop storefront 1h | ! /hc mute Shop checkout 1h
/hc mute Shop checkout and Bank online banking for 1h | ! /hc mute Shop checkout 1h
/hc mute Shop checkout until Bank online banking | nothing
/hc mute --duration=2h "Shop checkout" | /hc mute Shop checkout 2h
/hc mute name="Shop checkout" duration=2h comment="deploy" | /hc mute Shop checkout 2h | comment=deploy
/hc silence add alertname="Media newsroom" --duration=1h --comment="cms upgrade" | /hc mute Media newsroom 1h | --comment=cms upgrade
/hc mute “Shop checkout” 2h | =
/hc mute \`Shop checkout\` 2h | =
/hc mute Shop chekout 2h | /hc mute Shop checkout 2h
/hc mute Shop checkout 1h30m because deploy of v2.3 | nothing
/hc mute Shop checkout for an hour | =
/hc mute Shop checkout for half an hour | =
/hc unsilence Shop checkout | /hc unmute Shop checkout
/hc is Shop checkout down? | /hc show Shop checkout
/hc status Shop checkout? | /hc show Shop checkout
/hc show "Media newsroom" last 24h | /hc history "Media newsroom" last 24h
/hc history Shop checkout last 7 days | =
/hc page @oncall Shop checkout is down | /hc page Shop checkout @oncall | down
/hc trigger Shop checkout "payments fail" | ! /hc show Shop checkout
/hc escalate Shop checkout | ! /hc page Shop checkout
/hc maintenance Shop checkout tomorrow 02:00-04:00 | /hc maintenance Shop checkout from tomorrow 02:00 until 04:00
/hc maintenance start Shop storefront 1 hour "DB migration" | /hc maintenance Shop storefront 1 hour --because "DB migration"
/hc schedule maintenance for Bank online banking from 22:00 to 23:30 | /hc maintenance Bank online banking from 22:00 until 23:30
/hc unsubscribe Shop checkout. | /hc unwatch Shop checkout
/hc add https://www.example.org | /hc create https://www.example.org
/hc create monitor "Blog front page" <https://blog.example.org> every 5 min | /hc create Blog front page https://blog.example.org every 5min
/hc new url=https://api.example.org/health name="Api health" interval=60s | /hc create --target https://api.example.org/health --name "Api health" --frequency 60s
/hc delete Media newsroom --force | /hc delete Media newsroom | --force
/hc edit Shop checkout url=https://shop.example.com/pay | /hc edit Shop checkout --target https://shop.example.com/pay
/hc notify ops@example.org for Shop checkout | /hc recipients ops@example.org Shop checkout --add
/hc remove email ops@example.org from Shop checkout | /hc recipients ops@example.org Shop checkout --remove
/hc grant admin to @bob | /hc grant @bob admin
/hc whoami | ! /hc access
/threat https://urlhaus.abuse.ch/url/3412345/ | =
/threat lookup ID | /threat ID
/threat show #ID | /threat #ID
/threat please look at event ID, thanks | =
/threat ID ID? | =
/threat id=ID | =
/threat ID 4712 4713 | =
/threat ID, 4712 | =
/threat hxxps://evil[.]example[.]net/a.exe | =
/threat 44d88612fea8a8f36de82e1278abb02f | =
/threat close ID --force | /threat close ID | --force
/threat assign ID to @bob | ! /threat take ID | @bob
/threat open case for ID | ! /threat queue
/cert-order where is my certificate? | ! /cert-order list mine
/cert-order what needs my approval | ! /cert-order list pending
/cert-order review | ! /cert-order list pending
/cert-order edit 3 | ! /cert-order withdraw 3
/cert-order upload csr | ! /cert-order
/cert-order shop.example.com --years 1 --type EV | /cert-order shop.example.com | --years 1 --type EV
/cert-order cancel 3 shop.example.com | /cert-order help withdraw
/threat search evil.example.net | /threat evil.example.net
/threat lookup hxxps://evil[.]example[.]net/login | /threat hxxps://evil[.]example[.]net/login
/threat new | ! /threat queue
/threat comment ID "called the hoster" | /threat note ID called the hoster
/cert-order new example.com www.example.com | /cert-order example.com www.example.com
/cert-order order a wildcard for *.example.com | /cert-order *.example.com
/cert-order #1234? | =
/cert-order what is the status of order 1234? | /cert-order show 1234
/cert-order ls --pending | /cert-order list pending
/cert-order cancel 1234 | /cert-order withdraw 1234
/cert-order revoke 1234 --force | ! /cert-order show 1234
/cert-order certonly -d example.com -d www.example.com | /cert-order example.com www.example.com | certonly
/cert-order domain=example.com years=1 | /cert-order example.com | years=1
/cert-order https://shop.example.com/ | =
/cert-order expires example.com | ! /cert-order list example.com
/cert-order when does shop.example.com expire | ! /cert-order list shop.example.com
/cert-order which certs expire in the next 30 days? | ! /cert-order list
/cert-order download "1234" | ! /cert-order show 1234
/hc status | /hc list
/hc follow checkout | /hc watch checkout
/hc list http | =
/hc list shop* --status down | =
/hc get checkout | /hc show checkout
/hc info checkout | /hc show checkout
/hc details checkout | /hc show checkout
/hc check checkout | /hc show checkout
/hc search checkout | /hc list checkout
/hc find shop* | /hc list shop*
/hc add blog https://blog.example.com | /hc create blog https://blog.example.com
/hc update checkout | /hc edit checkout
/hc edit checkout --frequency 30 | =
/hc edit checkout --frequency 30s | =
/hc create https://pay.example.com every 1 min | /hc create https://pay.example.com every 1min
/hc maintenance * daily from 22:00 for 9h | /hc help maintenance
/hc mute shop* checkout 2h | /hc help mute
/hc edit checkout every 5 minutes | /hc edit checkout every 5minutes
/hc edit web --name Web shop | =
/hc edit web port 8443 | /hc edit web --port 8443
/hc edit web --interval 1m | /hc edit web --frequency 1m
/hc edit web --url https://web.example.com | /hc edit web --target https://web.example.com
/hc edit web --ssl no | /hc edit web --verify-ssl no
/hc edit web protocol tcp port 25 | /hc edit web --protocol tcp --port 25
/hc mute web 30 | /hc mute web 30m
/hc maintenance web now 2h | /hc maintenance web from now 2h
/hc create blog https://blog.example.com --interval 300 | /hc create blog https://blog.example.com --frequency 300
/hc remove blog | /hc delete blog
/hc add bob@example.com to web | /hc recipients bob@example.com web --add
/hc watch shop* except shop-test* | =
/hc watch shop* --escalate 10m @on-call | =
/hc watch shop*, blog* | =
/hc watch all in #ops | =
/hc mute checkout till 18:00 | /hc mute checkout until 18:00
/hc maintenance shop* --from 22:00 --for 2h | =
/hc maintenance Friday Deals 2h | =
/hc maintenance shop* from 22:00 for 2h every week | =
/hc history checkout today | =
/hc history checkout this week | =
/hc incidents | ! /hc down
/hc audit by @ann | =
/hc grant @ann operator for 8h | =
/hc grant @ann admin until friday | =
/hc settings | ! /hc access
/hc --version | =
/hc mute --help | =
/hc login | ! /hc connect
/threat close ID --as down | =
/cert-order list pending | =
/cert-order mine | /cert-order list mine
/cert-order approve #12 | =
/cert-order 12 | =
/hc mute checkout for lunch | /hc mute checkout | lunch
/hc unwatch? | /hc unwatch
/hc mute all 30m? | /hc mute all 30m
/hc should I mute checkout for 2h | /hc help mute
/hc delete web* --dry-run | /hc delete web* | --dry-run
/hc mute web until 5 | nothing
/hc mute web at 18:00 | /hc mute web until 18:00
/hc mute web until next Monday | /hc mute web | next Monday
/hc maintenance web between 22:00 and 23:00 tomorrow | nothing
/hc page web @ann now | /hc page web @ann
/hc edit web port to 443 | /hc edit web --port 443
/hc grant @ann operator 8 | /hc help grant
/hc grant @ann operator Friday | /hc grant @ann operator until Friday
/hc grant @ann operator --until=Friday | /hc grant @ann operator until Friday
/hc list --statsu down | /hc list down | --statsu
/hc list "u*" —statsu=HEALTHY | /hc list u* HEALTHY
/hc liist "u*" | /hc list u*
/hc new api key | ! /hc connect
/hc what is silenced | ! /hc watches
/cert-order rekey shop.example.com | ! /cert-order reissue shop.example.com
/hc wacth shop* | /hc watch shop*
/hc unwatch all? --env ote | /hc unwatch all --env ote
/threat note ID is it gone? | /threat note ID "is it gone?"
/threat take don't ID | nothing
/hc don't mute Shop checkout 2h | nothing
/threat comment ID informed, ticket 4711 | /threat note ID informed, ticket 4711
/hc mute Shop checkout until end of day | /hc mute Shop checkout | end day
/hc mute everything for 15 min | /hc mute all 15 min
/hc unmute everything | /hc unmute all
/hc mute all except web 1h | nothing
/hc mute "Unknown thing" 2h? | nothing
/hc restart Shop checkout | ! /hc show Shop checkout
/hc graph response time Shop checkout 24h | ! /hc history Shop checkout 24h
/hc incident create "Payments fail" | ! /hc down
/hc maint start Shop checkout -d 2h | /hc maintenance Shop checkout 2h
/hc edit Shop checkout timeout=10s | /hc edit Shop checkout | timeout=10s
/hc auditlog --limit 20 | ! /hc audit
/cert-order lgtm #12 | /cert-order approve #12
/threat reopen ID | /threat take ID
/threat comment ID Asked the registrar for a takedown | /threat note ID Asked the registrar for a takedown
/cert-order shop.example.com for 1 year | =
/cert-order shop.example.com 90 days | =
/cert-order new cert for shop.example.com and www.shop.example.com, 1 year | /cert-order shop.example.com www.shop.example.com 1 year
/cert-order -----BEGIN CERTIFICATE REQUEST----- MIIB+/== -----END CERTIFICATE REQUEST----- | =
/cert-order new -----BEGIN CERTIFICATE REQUEST----- MIIB+/== -----END CERTIFICATE REQUEST----- | /cert-order -----BEGIN CERTIFICATE REQUEST----- MIIB+/== -----END CERTIFICATE REQUEST-----
/cert-order order -----BEGIN CERTIFICATE REQUEST----- MIIB+/== | /cert-order -----BEGIN CERTIFICATE REQUEST----- MIIB+/==
/cert-order order shop.example.com for 90 days | /cert-order shop.example.com 90 days
/cert-order reorder shop.example.com | ! /cert-order again shop.example.com
/cert-order renew order 1 | ! /cert-order again 1
/cert-order remind approvers about shop.example.com | ! /cert-order show shop.example.com
/cert-order approvals channel #certs | ! /cert-order settings
/cert-order settings default validity 2 years | ! /cert-order settings
/cert-order export csv | ! /cert-order list
/cert-order rejected this month | /cert-order list rejected this month
/cert-order list received example.com 2026-11 | =
/cert-order who approves? | ! /hc access
/cert-order ship 12 | /cert-order show 12 | ship
/cert-order cancel whatever Ann ordered there yesterday evening | /cert-order help withdraw
/hc is shop checkout up? | /hc show Shop checkout
/hc up | nothing
/hc status page | =
/hc mute shop* for 2h because of the deploy | /hc help mute
/hc new "every 5m" https://blog.example.com | /hc create "every 5m" https://blog.example.com
/hc downtime web until 18:00 | /hc maintenance web until 18:00
/hc create tcp check on db.example.com 5432 | /hc create db.example.com:5432 tcp
/hc mute Status page* 2h | =
/hc delete Bank open API* | =
/hc delete check 10.0.0.1:80* | =
/hc delete Order API* please | /hc delete Order API*
/hc mute alerts for shop* 2h | /hc mute shop* 2h
/hc mute the Point of sale* 2h | /hc mute Point of sale* 2h
/hc mute shop* 18:00 2h | /hc help mute
/hc close | ! /hc down
/hc config | ! /hc access
/hc alerts off | ! /hc unwatch
/hc end | ! /hc unwatch
/hc watch shop* 10m @on-call | /hc watch shop* --escalate "10m @on-call"
/hc watch newsroom 10m @on-call | /hc watch Media newsroom --escalate "10m @on-call"
/hc interval Shop checkout 5m | /hc edit Shop checkout --frequency 5m
/hc frequency storefront 5 minutes | /hc edit Shop storefront --frequency 5minutes
/hc port Shop checkout 8443 | /hc edit Shop checkout --port 8443
/hc change port of Shop checkout to 8443 | /hc edit Shop checkout --port 8443
/hc Shop checkout port 8443 every 2 min | /hc edit Shop checkout every 2min --port 8443
/hc delete web and blog | ! /hc delete web
/hc downtime web,blog sat 22:00 - sun 02:00 new switch | ! /hc maintenance web from sat 22:00 until sun 02:00 --because "new switch"
/hc add https://shop.example.com/health name pay every 5m alert ops@example.com,anna@example.com | /hc create pay https://shop.example.com/health every 5m | ops@example.com anna@example.com
/hc create called pay mail.example.com:25 tcp | /hc create pay mail.example.com:25 tcp
/hc create pay https://pay.example.com every 5m alert ops@example.com | /hc create pay https://pay.example.com every 5m | ops@example.com
/hc replace anna@example.com with bob@example.com on all checks | /hc recipients anna@example.com all --replace-with bob@example.com
/hc ack Shop checkout til 6pm vendor is on it | ! /hc mute Shop checkout until 6pm | vendor
/hc page @ann when Shop checkout is down for 5 minutes | ! /hc watch Shop checkout --escalate "5 minutes @ann" | down
/hc backup everything | ! /hc export all
/hc certificates expiring | ! /cert-order list
/hc extend mute Shop checkout 2h | /hc mute Shop checkout 2h
/hc every 5 minutes for bank* | /hc edit bank* every 5 minutes
/hc set check_interval 600 for Shop checkout | /hc edit Shop checkout --frequency 600
/hc who gets the mails for Shop checkout | ! /hc show Shop checkout
/cert-order no, wrong domain 1 | /cert-order reject 1 wrong domain
/threat handover ID @U0MEMBER01 | ! /threat take ID | @U0MEMBER01
/hc export all to csv | /hc export csv all
/hc export bank* as csv | /hc export csv bank*
/hc edit storefront 60 | /hc edit Shop storefront --frequency 60
/hc edit storefront 60 90 | /hc edit Shop storefront | 60 90
/hc edit storefront every 60 90 | /hc edit Shop storefront every 60 | 90
/hc edit storefront /alive | /hc edit Shop storefront --target https://shop.example.com/alive
/hc edit storefront --path /alive | /hc edit Shop storefront --target https://shop.example.com/alive
/hc edit Media newsroom --path /alive | ! /hc help edit
/hc change url of storefront to https://www.example.com | /hc edit Shop storefront --target https://www.example.com
/hc is the bank up? | /hc list bank
/hc is the bank down? | /hc down bank
/hc last outage of newsroom | /hc history Media newsroom
/hc where are runbooks for the newsroom and more on it? | /hc show Media newsroom | runbooks more
/hc tell me when newsroom recovers | ! /hc watch Media newsroom | recovers
/hc dm me newsroom | ! /hc watch Media newsroom
/hc mute newsroom deploy 30m | /hc mute Media newsroom 30m | deploy
/hc list --down | /hc list down
/hc list --no-recipients | ! /hc export
/hc alerts none | ! /hc export
/hc who | ! /hc down
/hc who is on call | ! /hc watches
/hc doctor | ! /hc
/hc test alert | ! /hc watches
/hc handover Shop checkout to @member | ! /hc show Shop checkout
/hc stop watching bank* | /hc unwatch bank*
/hc timeline Shop checkout | /hc history Shop checkout
/hc who gets emails for Shop checkout | ! /hc show Shop checkout
/hc who is admin | ! /hc access
/hc revert | ! /hc import
/hc undo | ! /hc import
/hc switch to ote | /hc env ote
/hc alerts for bob@example.com | /hc recipients bob@example.com
/hc email bob@example.com Shop checkout | /hc recipients bob@example.com Shop checkout --add
/hc url of Shop checkout | /hc show Shop checkout
/hc maintenance newsroom every Sunday 2am 1h | /hc maintenance Media newsroom every week from Sunday 2am 1h
/hc downtime report newsroom last week | /hc history Media newsroom last week
/hc stop muting Shop checkout | /hc unmute Shop checkout
/hc end mute Shop checkout | /hc unmute Shop checkout
/hc who are you | nothing
/hc watch newsroom and ping @on-call after 10 minutes | /hc watch Media newsroom --escalate "10 minutes @on-call" | ping
/hc watch Media newsroom page @on-call after 10m please | /hc watch Media newsroom --escalate "10m @on-call"
/hc is the newsroom or the storefront up | nothing
/hc watch newsroom ping @on-call | /hc help watch
/hc how many are down? | /hc down
/hc last of the newsroom | /hc show Media newsroom
/hc how do I mute something | /hc help mute
/hc how can I stop alerts | ! /hc help unwatch
/hc how is the newsroom | /hc show Media newsroom
/hc describe outlet database, primary | /hc show "Outlet database, primary"
/cert-order waiting | /cert-order list waiting
/cert-order shop.example.com status | /cert-order show shop.example.com
/cert-order delegate @admin | ! /hc access
/cert-order mark 1 received | ! /cert-order show 1
/cert-order who approved 1 | /cert-order show 1 | approved
/cert-order remove 1 | /cert-order withdraw 1
/cert-order undo | /cert-order withdraw
/cert-order request a certificate for shop.example.com | /cert-order shop.example.com
/cert-order order 1 status | /cert-order show 1
/cert-order I need a certificate for shop.example.com | /cert-order shop.example.com
/cert-order config | ! /cert-order settings
/cert-order validation shop.example.com | ! /cert-order show shop.example.com
/hc why is media newsroom down | ! /hc show Media newsroom
/cert-order my order | ! /cert-order list mine
/cert-order list my orders | /cert-order list mine
/cert-order list all | =
/cert-order accept 1 | /cert-order approve 1
/cert-order details 1 | /cert-order show 1
/cert-order history of shop.example.com | ! /cert-order list shop.example.com
/cert-order audit | ! /cert-order list
/cert-order assign 1 @member | ! /hc access
/cert-order who can approve | ! /hc access
/cert-order approvers | ! /hc access
/cert-order todo | ! /cert-order list pending
/cert-order approvals | ! /cert-order list pending
/cert-order decline 1 "wrong names" | /cert-order reject 1 wrong names
/cert-order channel #certs | ! /cert-order settings | #certs
/cert-order domains | ! /cert-order settings
/hc mute checkout until tmrow 9am | nothing
/hc mute checkout 2 hrs thx | /hc mute checkout 2 hours
/cert-order approvers add @bob | /hc grant @bob approver
/hc give @ann rights to create checks | ! /hc grant @ann operator | rights
/hc remove @ann as operator | /hc revoke @ann operator
/hc watches #ops | /hc watches --all | #ops
/hc alerts #C0OPS | /hc watch #C0OPS
/hc notify @ann if the newsroom is down | /hc help watch
/hc subscribe #C0OPS to all Bank checks | /hc watch Bank* #C0OPS
/hc avg response time of newsroom | ! /hc show Media newsroom
/hc why was Shop checkout down yesterday | ! /hc history Shop checkout yesterday
/hc send alerts of bank* to #C0OPS and page @on-call after 15 min | /hc watch bank* #C0OPS --escalate "15 min @on-call"
/hc stop spamming this channel | /hc unwatch
/hc show me everything that is failing please | ! /hc down all
/hc incident create checkout slow | ! /hc show checkout
/hc how do i get alerts in another channel? | /hc help watch
/cert-order i need a certificate for my site | /cert-order | site
/threat lookup TE-1001 | /threat TE-1001
/hc edit timeout newsroom 10s | ! /hc edit Media newsroom | timeout 10s
/hc edit bank* timeout 10 | ! /hc help edit
/hc tag checkout shop | ! /hc edit checkout | shop
/hc route checkout #ops | ! /hc help watch
/hc unsubscribe #ops from checkout | ! /hc help unwatch
/hc set checkout port 99999 | ! /hc help edit
/hc add https://x.example.com every 100000 | ! /hc help create
/hc new check for db.example.org port 5432 | /hc create db.example.org:5432
/cert-order settings add approver @dana | /hc grant @dana approver
/cert-order settings approvers add @dana | /hc grant @dana approver
/cert-order settings approver add @dana | /hc grant @dana approver
/hc add approver @member | /hc grant @member approver
/hc @ann approver | /hc grant @ann approver
/hc approvers @ann | /hc grant @ann approver
/cert-order remove approver @ann | /hc revoke @ann approver
/cert-order add @ann as approver for shop.example.com | /hc help grant
/hc page admin panel @ann please | /hc help page
/threat comment ID asked admin @ann | /threat note ID asked admin @ann
/hc mute admin 2h @ann | nothing
/hc is @dana an admin? | /hc help grant
/hc delete admin @ann | /hc revoke @ann admin
/hc incidents checkout | /hc history checkout
/threat cases | ! /threat queue
/hc what does this channel watch | ! /hc watches
/hc page @on-call after 10 minutes | /hc watch --escalate "10 minutes @on-call"
/hc page help | =
/hc mute help | =
/hc i'm looking into Shop checkout | ! /hc show Shop checkout
/hc page @tom shop checkout is broken | /hc page Shop checkout @tom | broken
/hc find newsroom.example.com | /hc show newsroom.example.com
/hc find shop.example.com | /hc list Shop storefront
/hc find https://shop.example.com/health | /hc show https://shop.example.com/health
/hc find web | /hc list web
/hc silence Shop checkout from 22:00 to 23:30 | /hc maintenance Shop checkout from 22:00 until 23:30
/hc mute shop* tomorrow 22:00-23:30 | /hc maintenance shop* from tomorrow 22:00 until 23:30
/hc history Shop checkout since november | =
/hc history in October | =
/hc how often was Shop checkout down this month | /hc history Shop checkout this month | often
/hc what did @ann do on Monday | /hc audit @ann Monday
/hc what happened yesterday | /hc history yesterday | happened
/hc Shop checkout every 2 minutes | /hc edit Shop checkout --frequency 2minutes
/hc rename Shop checkout "Web shop" | /hc edit Shop checkout --name "Web shop"
/hc clone Shop checkout as Shop checkout EU | ! /hc import
/hc export to excel | ! /hc export
/hc change paging to 10 minutes | ! /hc watches
/hc which channels get alerts | ! /hc watches
/hc move Bank alerts to #C0RANDOM01 | /hc watch Bank #C0RANDOM01
/hc remind me when Shop checkout is up | ! /hc watch Shop checkout
/hc quiet hours 22:00-06:00 Shop checkout | /hc maintenance Shop checkout from 22:00 until 06:00 | hours
/hc downtime "Shop checkout" --start 22:00 --end 23:30 --message "release" | /hc maintenance Shop checkout from 22:00 until 23:30 --because release
/threat screenshot of ID | /threat screenshot ID
/threat handover ID to @ann | ! /threat take ID | @ann
/hc close alert Shop checkout note "restarted the server" | ! /hc show Shop checkout
/hc escalate Shop checkout to level 2 | ! /hc help page
/cert-order requests waiting for me | /cert-order list waiting
/cert-order old | /cert-order list old
/cert-order cancel order for shop | /cert-order withdraw shop
/cert-order status of shop | /cert-order show shop
/cert-order duplicate 1 | ! /cert-order again 1
/cert-order take back 4 | /cert-order withdraw 4
/cert-order past orders | /cert-order list
/cert-order find rejected last month | /cert-order list rejected last month
/cert-order status shop.example.com | /cert-order show shop.example.com
/cert-order settings own orders on | /cert-order settings | own
/cert-order allow own orders | ! /cert-order settings | own
/cert-order order a.example.com, www.a.example.com 1 year | /cert-order a.example.com www.a.example.com 1 year
/hc maintenance window for bank* Saturday 2am-4am | /hc maintenance bank* from Saturday 2am until 4am
/hc edit web, blog interval 10m | ! /hc edit web --frequency 10m
/hc delete blog web | ! /hc delete blog
/hc emails web add a@example.com, b@example.com | /hc recipients a@example.com b@example.com web --add
/hc alerts web a@example.com | /hc recipients a@example.com web --add
/hc alerts web add a@example.com | /hc recipients a@example.com web --add
/hc recipients a@example.com, b@example.com web --add | =
/hc email a@example.com when web is down | /hc recipients a@example.com web --add
/hc stop emails to a@example.com for web | /hc recipients a@example.com web --remove
/hc mute emails to a@example.com about web | /hc recipients a@example.com web --remove
/hc move alerts of web from a@example.com to b@example.com | /hc recipients a@example.com web --replace-with b@example.com
/hc watch web escalate 10m @bob | /hc watch web --escalate "10m @bob"
/hc maintenance web tonight 22-23 | /hc maintenance web from today 22:00 until 23:00
/hc maintenance web tomorrow from 22 to 23 | /hc maintenance web from tomorrow 22:00 until 23:00
/hc maintenance web saturday 2-4am because db upgrade | /hc maintenance web from saturday 2am until 4am --because "db upgrade"
/hc maintenance web tonight 8-10 | /hc maintenance web from today | 8-10
/hc mute web 22 - 6:30 | /hc maintenance web from 22:00 until 6:30
/hc maintenance web tonight 22-23 3 disks | /hc help maintenance
/hc create new db tcp db2.example.com 5432 1m | /hc create new db db2.example.com:5432 tcp every 1m
/hc create Portal https://portal.example.com 60 | /hc create Portal https://portal.example.com | 60
/hc create my http check | =
/hc escalate web 10m @bob | ! /hc watch web --escalate "10m @bob"
/hc escalate web 10m | ! /hc help watch
/hc page web after 10m @bob | /hc watch web --escalate "10m @bob"
/hc export web last 30 days | /hc history web last 30 days
/hc export last mile | =
/hc export --name "web last week" | =
/hc edit web interval 5m name Web shop | /hc edit web --name "Web shop" --frequency 5m
/hc edit web name Web shop every 5m | /hc edit web every 5m --name "Web shop"
/hc edit web interval 1 minute | /hc edit web --frequency "1 minute"
/hc edit web customer 12 | /hc edit web --customer 12
/hc edit web interval 30 | /hc edit web --frequency 30
/hc unnotify web ann@example.com | /hc recipients ann@example.com web | unnotify
/cert-order edit 1 add shop.example.com | ! /cert-order show 1
/cert-order modify shop.example.com add www.shop.example.com | ! /cert-order show
/cert-order change duration of 2 to 1 year | ! /cert-order show 2
/hc stop Bank rates feed | /hc mute Bank rates feed
/hc stop | /hc unwatch
/hc down since yesterday | /hc history since yesterday
/hc down today | /hc history today
/hc email me when web goes down | ! /hc alerts web
/hc stop emailing bob@example.com | /hc recipients bob@example.com --remove
/hc post web to #C0RANDOM01 | /hc watch web #C0RANDOM01
/hc download all checks as csv | ! /hc export csv all
/hc who deleted web | ! /hc audit web
/hc note web vendor is looking | ! /hc show web
/cert-order request example.org + www.example.org | /cert-order example.org www.example.org
/hc what was down last week | /hc history last week
/hc edit Shop frontend interval 1m | /hc help edit
/cert-order order example.org again | /cert-order again example.org
/cert-order shop.example.com renew | /cert-order renew shop.example.com
/hc edit the name of web to Web shop | /hc edit web --name "Web shop"
`
  .replaceAll(/\bID\b/g, ID)
  .trim()
  .split('\n')
  .map((row) => {
    const [typed = '', meant = '', leftOut = ''] = row.split(' | ')
    return {
      typed,
      meant: meant === '=' ? typed : meant.replace('! ', ''),
      isNoted: meant.startsWith('!'),
      leftOut,
    }
  })

it.each(LINES)('runs, or offers what was meant: $typed', async ({ typed, meant, isNoted, leftOut }) => {
  const answer = await answerTyped(typed)
  // At most the help of its verb.
  if (meant === 'nothing') return expect(answer.runs ?? answer.offered ?? '/hc help').toMatch(/^\/\S+ help\b/)
  const first = answer.runs ? typed : (answer.offered ?? '')
  expect((await readTypedLine(first)).reading, first).toBe((await readTypedLine(meant)).reading)
  expect(answer.leftOut).toBe(leftOut)
  expect(answer.note !== undefined).toBe(isNoted)
})

it('offers nothing for a text that is too long for a command', async () => {
  const typed = `/hc silence web 2h${' please'.repeat(60)}`
  expect(await answerTyped(typed)).toMatchObject({ runs: undefined, offered: undefined })
})

it('offers no change of many without the words that may say which ones', async () => {
  for (const typed of ['/hc remove all shop checks', '/hc rm everything about the bank', '/hc drop all down'])
    expect(JSON.stringify(await answerTyped(typed)), typed).not.toContain('/hc delete all')
})
