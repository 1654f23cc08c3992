// Films play while they are in view, and stop and go on at a click; a reader who asked for less motion starts them.
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) isIntersecting ? target.play().catch(() => {}) : target.pause();
  }, { threshold: 0.6 });
  document.querySelectorAll("video").forEach((video) => {
    video.controls = false;
    video.addEventListener("click", () => (video.paused ? video.play() : video.pause()));
    watcher.observe(video);
  });
}
// On paper a film is its most telling moment.
document.querySelectorAll("video[poster]").forEach((video) => {
  const still = new Image();
  still.src = video.poster;
  still.className = "still";
  still.alt = "";
  video.after(still);
});
// What is folded away is printed, too.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((part) => { part.open = true; }));
