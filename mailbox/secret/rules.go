package secret

import (
	"strings"
	"sync"
)

// rule is one kind of token that its issuer marks by how it begins.
type rule struct {
	kind     string
	least    int    // characters after the beginning
	prefixes string // how such tokens begin, one word each
}

// rules are the tokens whose beginning nobody writes by chance. Vendors that mark nothing are found by the name before
// the value, see [named].
var rules = []rule{
	{"1password-token", 20, "ops_eyJ A3-"},
	{"age-key", 50, "AGE-SECRET-KEY-1"},
	{"airtable-token", 60, "pat"},
	{"alibaba-key", 20, "LTAI"},
	{"anthropic-key", 24, "sk-ant-"},
	{"authress-key", 40, "sc_ ext_ scauth_"},
	{"aws-access-key", 16, "AKIA ASIA ABIA ACCA A3T"},
	{"aws-bedrock-key", 24, "ABSK bedrock-api-key-"},
	{"clojars-token", 50, "CLOJARS_"},
	{"databricks-token", 32, "dapi"},
	{"digitalocean-token", 40, "dop_v1_ doo_v1_ dor_v1_"},
	{"doppler-token", 40, "dp.pt. dp.st. dp.sa."},
	{"duffel-token", 40, "duffel_test_ duffel_live_"},
	{"dynatrace-token", 60, "dt0c01."},
	{"easypost-token", 54, "EZAK EZTK"},
	{"facebook-token", 100, "EAAC EAAM"},
	{"flutterwave-key", 12, "FLWSECK_TEST- FLWPUBK_TEST- FLWSECK-"},
	{"fly-token", 40, "fo1_ fm1a_ fm1r_ fm2_"},
	{"frameio-token", 40, "fio-u-"},
	{"github-token", 30, "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_"},
	{"gitlab-token", 18, "glpat- gldt- glptt- glrt- glft- glimt- glagent- gloas- glsoat- glcbt- glffct- GR1348941"},
	{"google-key", 30, "AIza GOCSPX- ya29."},
	{"grafana-token", 30, "glc_ glsa_ eyJrIjoi"},
	{"handoff-token", 20, "hoff_"},
	{"harness-key", 60, "pat. sat."},
	{"hashicorp-token", 24, "hvs. hvb. hvr."},
	{"heroku-key", 50, "HRKU-AA"},
	{"huggingface-token", 34, "hf_ api_org_"},
	{"infracost-token", 32, "ico-"},
	{"intra42-secret", 60, "s-s4t2"},
	{"jfrog-key", 50, "AKCp cmVmd"},
	{"jwt", 36, "eyJ"},
	{"jwt", 60, "ZXlK"},
	{"linear-key", 36, "lin_api_"},
	{"new-relic-key", 16, "NRAK- NRJS- NRII-"},
	{"notion-token", 40, "ntn_ secret_"},
	{"npm-token", 36, "npm_"},
	{"octopus-key", 26, "API-"},
	{"openai-key", 40, "sk- sk-proj- sk-svcacct-"},
	{"openshift-token", 40, "sha256~"},
	{"perplexity-key", 40, "pplx-"},
	{"planetscale-token", 30, "pscale_pw_ pscale_tkn_ pscale_oauth_"},
	{"postman-key", 50, "PMAK-"},
	{"prefect-key", 36, "pnu_"},
	{"pulumi-token", 40, "pul-"},
	{"pypi-token", 50, "pypi-AgE"},
	{"readme-key", 60, "rdme_"},
	{"rubygems-key", 40, "rubygems_"},
	{"sendgrid-key", 50, "SG."},
	{"brevo-key", 70, "xkeysib-"},
	{"sentry-token", 60, "sntrys_eyJ sntryu_"},
	{"settlemint-token", 16, "sm_aat_ sm_pat_ sm_sat_"},
	{"shippo-token", 40, "shippo_live_ shippo_test_"},
	{"shopify-token", 32, "shpat_ shpca_ shppa_ shpss_"},
	{"slack-webhook", 24, "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/"},
	{"slack-token", 10, "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxe. xapp-"},
	{"sourcegraph-token", 40, "sgp_"},
	{"square-token", 20, "sq0atp- sq0csp- EAAA"},
	{"stripe-key", 16, "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_"},
	{"twilio-key", 32, "SK"},
	{"typeform-token", 50, "tfp_"},
}

// words are what the name of a secret ends with, and the kind of secret that it then names.
var words = []struct{ word, kind string }{
	{"password", "password"},
	{"passwd", "password"},
	{"passphrase", "password"},
	{"pwd", "password"},
	{"token", "token"},
	{"authorization", "token"},
	{"bearer", "token"},
	{"secret", "secret"},
	{"credential", "secret"},
	{"credentials", "secret"},
	{"creds", "secret"},
	{"apikey", "key"},
	{"accesskey", "key"},
	{"secretkey", "key"},
	{"privatekey", "key"},
	{"authkey", "key"},
	{"signingkey", "key"},
	{"encryptionkey", "key"},
	{"accountkey", "key"},
	{"licensekey", "key"},
}

// begin is one beginning of a token, with its rule.
type begin struct {
	prefix string
	*rule
}

// beginnings are the rules by the first two bytes of their tokens.
type beginnings [1024][]begin

func (t *beginnings) of(a, b byte) *[]begin { return &t[(int(a)<<4^int(b))&1023] }

// byBeginning is made at the first text, since most processes look at none.
var byBeginning = sync.OnceValue(func() *beginnings {
	var t beginnings
	for i := range rules {
		for prefix := range strings.FieldsSeq(rules[i].prefixes) {
			here := t.of(prefix[0], prefix[1])
			*here = append(*here, begin{prefix, &rules[i]})
		}
	}
	return &t
})
