"""What a site shows to some alone, to nobody or keeps from search is no text; examples are."""

import pytest

from blog_search_mcp.ingest.posts.document import read_document

HIDDEN = [
    # remarks of editors
    "The mill {>>plum<<} turns pear.",
    "The mill.{>> plum\n\nplum <<}\n\npear",
    "{==pear==}{>>plum<<}{id=x}",
    "{--\n\n* plum\n* plum\n\n--}\n\n{++pear++}",
    "A {~~plum~>pear~~} wheel",
    "水車{--plum--}{++pear++}小屋",
    "`{>>` opens {>>plum<<} pear",
    # MyST
    "(mill)=\n# Mill\n\n% plum\n% plum\n\npear",
    "# Mill\n\n%plum\n\n```{note}\npear\n```",
    "See {ref}`mill` pear\n\n% plum\n",
    "```{code-cell}\n:tags: [hide-output, remove-cell]\nplum\n```\npear",
    "```{code-cell} python\n---\ntags: [remove-cell]\n---\nplum\n```\npear",
    ":::{todo}\nplum\n:::\npear",
    "The mill turns pear.\n% plum\n  % plum\nIt is old.",
    "{ref}`mill` has pear\n% plum",
    "```{raw} latex\nplum\n```\npear",
    # comments over lines
    "pear\n\n[comment]: <> (plum\nand plum)\n\n[//]: #\n  (plum\n  plum)",
    "{\n  /* plum */\n}\n\npear",
    "- pear\n\n  % plum\n",
    ":::{code-cell} python\n:tags: remove-cell\nplum\n:::\npear",
    "```{only} latex\nplum\n```\npear",
    ":::{only} not html\nplum\n:::\npear",
    ":::{ifconfig} x\nplum\n:::\npear",
    "- #+BEGIN_COMMENT\n  plum\n  #+END_COMMENT\n\n[x]: <> 'plum'\n\npear {#- plum -#}",
    # comments of templates
    "pear <%# plum %> <%-- plum --%>",
    "pear {{!-- plum }} plum --}} {{! plum }}",
    # kept from search
    "## Mill {.no-index}\n\nplum\n\n### Inner\n\nplum\n\n## Next\n\npear",
    "Mill { data-search-exclude }\n------\n\nplum\n\nNext\n====\n\npear",
    "# Mill {: data-search-exclude :}\n\n```\n# plum\n```\n\nplum\n\n# Next\n\npear",
    "pear\n\n{: .d-none }\nplum\n\nplum plum\nplum\n{ data-search-exclude }\n\npear",
    "## Mill\n{: data-pagefind-ignore }\n\nplum\n\n## Next\npear",
    "## 水車 {#mill data-search-exclude=true}\n\nplum\n\n## Next\npear",
    '<section data-pagefind-ignore="all"><div>\n\nplum\n\n</div>plum</section>\n\npear',
    "<DIV CLASS='x rtd-exclude-from-search'>plum</DIV>pear",
    "<span class=algolia-no-index>plum</span> pear",
    "<llm-exclude>\n\nplum\n\n</llm-exclude>\n\npear",
    "<noindex>plum</noindex> pear",
    "<!-- noindex -->\nplum\n<!-- /noindex -->\npear",
    "<!--googleoff: all-->plum<!--googleon: all-->pear",
    "<!-- BEGIN NOINDEX -->plum<!-- END NOINDEX -->pear",
    "<h2 data-search-exclude>Mill</h2>\n\nplum\n\n<h2>Next</h2>\n\npear",
    '<div data-swiftype-index="false">plum</div>pear',
    '::: {data-pagefind-ignore=""}\nplum\n:::\n\npear',
    # hidden elements
    '::: {#x style="display: none"}\nplum\n:::\n\npear [plum]{style="display:none"}',
    '<div style="color:red;display:none"><div>plum</div>plum</div>pear',
    "<p hidden>\n\nplum\n\n</p>\n\npear",
    "<p hidden>plum\n\npear",
    "<ul><li hidden>plum</li><li>pear</li></ul>",
    "<Box style={{ display: 'none' }}>plum</Box>pear",
    "<template>\n<p>plum</p>\n</template>\n\npear",
    '<p v-if="false">plum</p>pear',
    "<div STYLE='visibility: hidden'>plum\n```\n</div>\n```\nplum</div>pear",
    '<img alt="plum" hidden> pear',
    # of members
    "pear\n\n<!-- members-only -->\n\nplum",
    "pear\n<!--paid-->\nplum",
    "pear\n\n<!-- wp:jetpack/paywall /-->\n\nplum",
    '<!-- wp:premium-content/container {"planId":1} -->\n'
    "<!-- wp:premium-content/subscriber-view -->plum<!-- /wp:premium-content/subscriber-view -->\n"
    "<!-- wp:premium-content/logged-out-view -->pear<!-- /wp:premium-content/logged-out-view -->\n"
    "<!-- /wp:premium-content/container -->",
    '<!--kg-gated-block:begin nonMember:false memberSegment:"status:free" -->plum'
    "<!--kg-gated-block:end-->pear",
    'pear\n<div class="paywall-jump" data-component-name="PaywallToDOM"></div>\nplum',
    "[members_only]\n\nplum\n\n[/members_only]\npear",
    '[restrict userlevel="editor"]plum[/restrict] pear, [private] is a word',
    '[members_access role="editor"]plum[/members_access] pear [um_loggedin]plum[/um_loggedin]',
    "[private] is a word, [hide]plum[/hide] pear",
    "[loggedin]plum[/loggedin] [is_user_logged_in]plum[/is_user_logged_in] pear [VIP]plum[/VIP]",
    "<SignedIn>plum</SignedIn> <PremiumContent>plum</PremiumContent> pear",
    "{{< paywall >}}plum{{< /paywall >}}pear",
    "{% private %}plum{% endprivate %}pear",
    "<MembersOnly>\n\nplum\n\n</MembersOnly>\n\npear",
    # properties of outlines
    "- collapsed:: plum\n- pear\n  query-table:: plum\n  ls-type:: plum",
    "- pear\n  id:: plum\n  collapsed:: plum\n\t- x\n\t  logseq.order-list-type:: plum",
    "- DONE pear\n  SCHEDULED: <2024-01-01 plum>\n  :LOGBOOK:\n  CLOCK: plum\n  :END:\n- x",
]
BRANCHES = [
    "{% if false %}plum{% else %}pear{% endif %}",
    "{% if jekyll.environment == 'development' %}plum{% endif %}pear",
    "{%- unless jekyll.environment == 'production' -%}plum{%- endunless -%}pear",
    '{% if jekyll.environment != "production" and page.x %}plum{% else %}pear{% endif %}',
    "{% if page.x and false %}plum{% elsif true %}pear{% else %}plum{% endif %}",
    "{% if not true %}plum{% elif page.y %}pear{% endif %}",
    '{% if env.ELEVENTY_ENV === "dev" %}plum{% endif %}pear',
    '{% if eleventy.env.runMode == "serve" or false %}plum{% endif %}pear',
    "{% if false %}{% for x in y %}plum{% else %}plum{% endfor %}{% if z %}plum{% endif %}plum"
    "{% else %}pear{% endif %}",
    "{% if nil %}plum{% endif %}\n\n```\n{% endif %}\n```\n\npear",
    "{% if 'dev' == 'production' %}plum{% endif %}pear",
    "{% if jekyll.environment contains 'dev' %}plum{% endif %}pear",
    "{% case jekyll.environment %}{% when 'dev' or 'test' %}plum{% when 'production' %}pear"
    "{% else %}plum{% endcase %}",
]
SHOWN = [
    "Write `{>>plum<<}` and `<p hidden>`.",
    "Write `{{< private >}}` and plum.",
    "```html\n<div hidden>plum</div>\n```",
    "    <!--members-only-->\n\nplum",
    "In a year\n% of plum",
    "%PLUM% is where the plum is.",
    "See it.\n\t% plum",
    ":::{only} html or latex\nplum\n:::",
    '::: {.hidden-door style="color: red"}\nplum\n:::',
    "`<%# plum %>`, `{{! x }}`",
    "[members_not_logged_in]plum[/members_not_logged_in], a [member] of it",
    "```{note}\nplum\n```\n\n```\n% plum\n```",
    "<div aria-hidden='true'>plum</div>",
    "<div data-search-exclude='false'>plum</div>",
    '<div title="the hidden door">plum</div>',
    "## Hidden {#hidden}\n\nplum",
    "## Mill {.unnumbered}\n\nplum",
    "{on|off} plum {hidden} there",
    "<!-- membership plans come here -->plum",
    "[private] plum",
    "[secret] plum, [reply](x) plum[/reply]",
    "[//]: # x\n\n(plum)",
    "[//]: #\n\n(plum)",
    "<div class='d-none d-md-block'>plum</div>",
    "{--x and plum",
    "<details><summary>x</summary>plum</details>",
    '<!--kg-gated-block:begin nonMember:true memberSegment:"x" -->plum<!--kg-gated-block:end-->',
    "{% raw %}{% comment %}plum{% endcomment %}{% endraw %}",
    "- a\n  source:: plum",
    "<hidden-door>plum",
]
SHOWN_BRANCHES = [
    "{% if site.x == 'plum' %}plum{% else %}x{% endif %}",
    "{% if jekyll.environment == 'production' %}plum{% endif %}",
    "{% if page.env == 'dev' %}plum{% endif %}",
    "{% case page.x %}{% when 'a' %}plum{% else %}x{% endcase %}",
    "`{% if false %}`plum`{% endif %}`",
    "{% raw %}{% if false %}plum{% endif %}{% endraw %}",
    "{% unless false %}plum{% endunless %}",
    "{% ifversion ghes %}x{% endif %}plum{% endif %}",
]


def read(text: str, *, runs_templates: bool = False) -> str:
    shown = read_document(text.encode(), "a.md", keeps_braces=not runs_templates).body.text
    assert shown.count("\n") == text.count("\n")
    return shown


@pytest.mark.parametrize("text", HIDDEN)
def test_what_is_hidden_goes_and_what_follows_stays(text: str) -> None:
    shown = read(text)
    assert ("plum" in shown, "pear" in shown) == (False, True), shown


@pytest.mark.parametrize("text", BRANCHES)
def test_a_branch_that_is_never_built_goes_where_templates_run(text: str) -> None:
    shown = read(text, runs_templates=True)
    assert ("plum" in shown, "pear" in shown) == (False, True), shown
    assert read(text) == text


@pytest.mark.parametrize("text", SHOWN + SHOWN_BRANCHES)
def test_examples_and_what_is_not_surely_hidden_stay(text: str) -> None:
    assert "plum" in read(text, runs_templates=text in SHOWN_BRANCHES)
