/**
 * Methods of Slack's that the playground has not, each family with its names, as @slack/web-api 8.2 has them
 * (https://docs.slack.dev/reference/methods, November 2026).
 */
const MISSING = `
admin.analytics:getFile admin.apps.activities:list admin.apps:approve,clearResolution,restrict,uninstall
admin.apps.approved:list admin.apps.config:lookup,set admin.apps.requests:cancel,list admin.apps.restricted:list
admin.auth.policy:assignEntities,getEntities,removeEntities admin.barriers:create,delete,list,update
admin.conversations:archive,bulkArchive,bulkDelete,bulkMove,convertToPrivate,convertToPublic,create,delete
admin.conversations:disconnectShared,getConversationPrefs,getCustomRetention,getTeams,invite,lookup
admin.conversations:removeCustomRetention,rename,search,setConversationPrefs,setCustomRetention,setTeams,unarchive
admin.conversations.ekm:listOriginalConnectedChannelInfo
admin.conversations.restrictAccess:addGroup,listGroups,removeGroup admin.emoji:add,addAlias,list,remove,rename
admin.functions:list admin.functions.permissions:lookup,set admin.inviteRequests:approve,deny,list
admin.inviteRequests.approved:list admin.inviteRequests.denied:list
admin.roles:addAssignments,listAssignments,removeAssignments admin.teams.admins:list admin.teams:create,list
admin.teams.owners:list admin.teams.settings:info,setDefaultChannels,setDescription,setDiscoverability,setIcon,setName
admin.usergroups:addChannels,addTeams,listChannels,removeChannels
admin.users:assign,getExpiration,invite,list,remove,setAdmin,setExpiration,setOwner,setRegular
admin.users.session:clearSettings,getSettings,invalidate,list,reset,resetBulk,setSettings
admin.users.unsupportedVersions:export admin.workflows.collaborators:add,remove admin.workflows.permissions:lookup
admin.workflows:search,unpublish
agents.conversations:archive,create,getCanvas,listViews,removeView,setCanvasContent,setCommands,setProperties
agents.conversations:setView agents.sessions:rename,setStatus apps.event.authorizations:list
apps.manifest:create,delete,export,update,validate apps:uninstall apps.user.connection:update
bookmarks:add,edit,list,remove calls:add,end,info,update calls.participants:add,remove canvases.access:delete,set
canvases:create,delete,edit canvases.sections:lookup chat:meMessage,unfurl
conversations:acceptSharedInvite,approveSharedInvite,close,declineSharedInvite,inviteShared,listConnectInvites,mark
conversations.canvases:create conversations.externalInvitePermissions:set
conversations.requestSharedInvite:approve,deny,list dialog:open dnd:endDnd,endSnooze,info,setSnooze,teamInfo
files.comments:delete files:delete,list,revokePublicURL,sharedPublicURL
files.remote:add,info,list,remove,share,update migration:exchange oauth:access
oauth.v2:exchange openid.connect:token,userInfo reminders:add,complete,delete,info,list rtm:connect
search:all,files,messages slackLists.access:delete,set slackLists:create,update slackLists.download:get,start
slackLists.items:create,delete,deleteMultiple,info,list,update stars:add,list,remove
team:accessLogs,billableInfo,integrationLogs team.billing:info team.externalTeams:disconnect,list
team.preferences:list team.profile:get tooling.tokens:rotate usergroups:create,disable,enable,update
usergroups.users:update users:deletePhoto,identity,setPhoto,setPresence users.discoverableContacts:lookup
users.profile:set workflows.featured:add,list,remove,set
`

export const MISSING_METHODS: ReadonlySet<string> = new Set(
  MISSING.trim()
    .split(/\s+/)
    .flatMap((each) => {
      const [family = '', names = ''] = each.split(':')
      return names.split(',').map((name) => `${family}.${name}`)
    }),
)
