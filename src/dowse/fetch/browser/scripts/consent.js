// Overlays that ask for consent: known ones only, by the names their makers give them.
(() => {
  "use strict";
  const { dom } = dowse;
  // The container, how to refuse, and how to agree where refusing is not offered.
  const OVERLAYS = [
    ["#onetrust-consent-sdk, #onetrust-banner-sdk", "#onetrust-reject-all-handler", "#onetrust-accept-btn-handler"],
    ["#CybotCookiebotDialog, #CybotCookiebotDialogBodyUnderlay", "#CybotCookiebotDialogBodyButtonDecline", "#CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll"],
    ["#didomi-host", ".didomi-continue-without-agreeing, #didomi-notice-disagree-button", "#didomi-notice-agree-button"],
    ["#usercentrics-root, #usercentrics-cmp-ui", '[data-testid="uc-deny-all-button"], #deny', '[data-testid="uc-accept-all-button"], #accept'],
    [".qc-cmp2-container, #qc-cmp2-ui", '.qc-cmp2-summary-buttons button[mode="secondary"]', '.qc-cmp2-summary-buttons button[mode="primary"]'],
    ["#truste-consent-track, #trustarc-banner-overlay, .truste_overlay, .truste_box_overlay", "#truste-consent-required", "#truste-consent-button"],
    ['[id^="sp_message_container_"]', ".sp_choice_type_13", ".sp_choice_type_11"],
    [".osano-cm-window", ".osano-cm-denyAll", ".osano-cm-accept-all"],
    ["#cmplz-cookiebanner-container, .cmplz-cookiebanner", ".cmplz-deny", ".cmplz-accept"],
    [".cky-consent-container, .cky-overlay", ".cky-btn-reject", ".cky-btn-accept"],
    ["#cookie-law-info-bar", "#cookie_action_close_header_reject", "#cookie_action_close_header"],
    ["#BorlabsCookieBox", "[data-cookie-refuse]", "[data-cookie-accept-all], [data-cookie-accept]"],
    ["#cmpbox, #cmpwrapper", "#cmpbntnotxt, .cmpboxbtnno", "#cmpbntyestxt, .cmpboxbtnyes"],
    ["#iubenda-cs-banner", ".iubenda-cs-reject-btn", ".iubenda-cs-accept-btn"],
    ["#axeptio_overlay", "#axeptio_btn_dismiss", "#axeptio_btn_acceptAll"],
    ["#tarteaucitronRoot", "#tarteaucitronAllDenied2", "#tarteaucitronPersonalize2"],
    [".fc-consent-root", ".fc-cta-do-not-consent", ".fc-cta-consent"],
    ["#klaro .cookie-notice, #klaro .cookie-modal", ".cn-decline", ".cm-btn-success"],
    ["#cc-main", '[data-role="necessary"]', '[data-role="all"]'],
    [".cc-window.cc-banner, .cc-window.cc-floating", ".cc-deny", ".cc-allow, .cc-dismiss"],
  ];

  const within = (container) => [container, dom.shadow(container)].filter(Boolean);
  const isVisible = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const button = (container, selector) =>
    within(container)
      .flatMap((root) => [...root.querySelectorAll(selector)])
      .find((element) => element instanceof HTMLElement && isVisible(element));

  /** The containers of such overlays, to be left out of what is read. */
  dowse.overlays = () => new Set(OVERLAYS.flatMap(([containers]) => [...dom.queryIn(document, containers)]));

  /** Answer the first overlay that can be seen: no, or yes where only that is offered. */
  dowse.answerConsent = () => {
    for (const [containers, refuse, agree] of OVERLAYS) {
      for (const container of dom.queryIn(document, containers)) {
        const answer = button(container, refuse) ?? button(container, agree);
        if (!answer) continue;
        answer.click();
        return true;
      }
    }
    return false;
  };
})();
