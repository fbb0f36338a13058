//! Kubernetes: an indexed Job and a merge Job, over a volume that all pods share. The volume is a folder here, and pods
//! see it under the same path, so that all names hold in both places.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use fedbits_scenarios::data_files::DataFolders;

use super::job::{Job, JobNames, Texts, absolute, check_name, text};
use crate::cli::args::KubernetesOptions;
use crate::cli::failure::Failure;
use crate::study::{Inputs, Study};
use crate::yaml::quoted;

/// Refuses what pods cannot have.
pub(super) fn check(names: &JobNames, study: &Study, options: &KubernetesOptions) -> Result<(), Failure> {
    let volume = Volume::of(options)?;
    let (image, file) = (&options.image, &options.job.file);
    if image.is_empty() || image.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(Failure::Input(format!("--image is {image:?}: expected the name of an image, without blanks")));
    }
    // What pods find, where neither a variable nor a cache says where data are.
    let folders = study.folders(&options.job.host.machine());
    let folders = DataFolders { option: names.data.clone(), variable: None, cache: None, ..folders };
    let inputs = Inputs::of(file, study, &folders)?;
    for (path, _) in inputs.texts.iter().chain(&inputs.data) {
        volume.check_holds(&absolute(path)?)?;
    }
    volume.check_holds(&names.out)
}

/// `shards.yaml`, `merge.yaml` and `submit.sh`.
pub(super) fn files(job: &Job, options: &KubernetesOptions) -> Result<Texts, Failure> {
    let volume = Volume::of(options)?;
    let manifests = Manifests { job, name: object_name(&job.name), image: &options.image, volume };
    Ok(vec![
        ("shards.yaml", manifests.shards()?.into_bytes()),
        ("merge.yaml", manifests.merge()?.into_bytes()),
        ("submit.sh", manifests.submit()),
    ])
}

/// The study's volume.
struct Volume {
    claim: String,
    mount: PathBuf,
}

impl Volume {
    fn of(options: &KubernetesOptions) -> Result<Self, Failure> {
        let (claim, mount) = (options.claim.clone(), options.mount.as_deref().unwrap_or(Path::new(".")));
        let mount = absolute(mount)?;
        check_name("--mount", mount.as_os_str())?;
        if text("--mount", mount.as_os_str())?.contains(':') {
            return Err(Failure::Input(format!(
                "--mount is {mount:?}: expected a path without colons, which Kubernetes does not mount"
            )));
        }
        let own = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
        match !claim.is_empty() && claim.chars().all(own) {
            true => Ok(Self { claim, mount }),
            false => Err(Failure::Input(format!(
                "--claim is {claim:?}: expected the name of a claim, of small letters, digits, hyphens and dots"
            ))),
        }
    }

    fn check_holds(&self, path: &Path) -> Result<(), Failure> {
        let holds = |mount: &Path, path: &Path| path.starts_with(mount) && path != mount;
        // By its name, which pods are told, and by where it is: `..` and links lead out of the volume.
        if holds(&self.mount, path) && holds(&resolved(&self.mount), &resolved(path)) {
            return Ok(());
        }
        Err(Failure::Input(format!(
            "{} is not below {}: expected all files of the study on the volume of --claim; --mount DIR says which \
             folder here it is",
            path.display(),
            self.mount.display()
        )))
    }
}

/// Where a path leads: links followed as far as there is anything, and `..` taken from what is left.
fn resolved(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    let Some((above, mut resolved)) = there else { return path.to_path_buf() };
    for part in path.strip_prefix(above).unwrap_or(path).components() {
        match part {
            Component::ParentDir => drop(resolved.pop()),
            part => resolved.push(part),
        }
    }
    resolved
}

/// What the files say.
struct Manifests<'a> {
    job: &'a Job,
    name: String,
    image: &'a str,
    volume: Volume,
}

impl Manifests<'_> {
    fn shards(&self) -> Result<String, Failure> {
        let Job { shards, mark, .. } = self.job;
        let mut arguments = self.job.arguments();
        arguments.extend(["--shard".to_owned(), format!("auto/{shards}")].map(OsString::from));
        let (name, pod) = (&self.name, self.pod(&arguments)?);
        Ok(format!(
            "# {mark}\n\
             apiVersion: batch/v1\n\
             kind: Job\n\
             metadata:\n  \
               name: {name}\n\
             spec:\n  \
               completionMode: Indexed\n  \
               completions: {shards}\n  \
               parallelism: {shards}\n  \
               # A shard that is killed goes on where it was.\n  \
               backoffLimitPerIndex: 5\n  \
               podFailurePolicy:\n    \
                 rules:\n    \
                 - action: Ignore  # evicted or preempted\n      \
                   onPodConditions:\n      \
                   - {{type: DisruptionTarget, status: \"True\"}}\n    \
                 # Failed runs (1) are results, wrong input (2) stays wrong.\n    \
                 - action: FailIndex\n      \
                   onExitCodes:\n        \
                     containerName: fedbits\n        \
                     operator: In\n        \
                     values: [1, 2]\n\
             {pod}"
        ))
    }

    fn merge(&self) -> Result<String, Failure> {
        let (name, mark) = (&self.name, &self.job.mark);
        let pod = self.pod(&["merge".into(), self.job.names.out.clone().into_os_string()])?;
        Ok(format!(
            "# {mark}\n\
             apiVersion: batch/v1\n\
             kind: Job\n\
             metadata:\n  \
               name: {name}-merge\n\
             spec:\n  \
               backoffLimit: 3\n  \
               podFailurePolicy:\n    \
                 rules:\n    \
                 - action: FailJob\n      \
                   onExitCodes:\n        \
                     containerName: fedbits\n        \
                     operator: In\n        \
                     values: [1, 2]\n\
             {pod}"
        ))
    }

    /// The template of the pods.
    fn pod(&self, arguments: &[OsString]) -> Result<String, Failure> {
        let list = arguments.iter().map(|argument| {
            // `$(NAME)` would be replaced by a variable.
            let argument = text("an argument of the program", argument)?.replace('$', "$$");
            Ok(format!("        - {}\n", quoted(&argument)))
        });
        let list = list.collect::<Result<String, Failure>>()?;
        let mount = quoted(text("--mount", self.volume.mount.as_os_str())?);
        let (image, claim, memory) = (quoted(self.image), quoted(&self.volume.claim), self.job.mebibytes);
        Ok(format!(
            "  template:\n    \
                 spec:\n      \
                   restartPolicy: Never\n      \
                   containers:\n      \
                   - name: fedbits\n        \
                     image: {image}\n        \
                     args:\n\
             {list}        \
                     resources:\n          \
                       requests: {{cpu: 1, memory: {memory}Mi}}\n          \
                       limits: {{memory: {memory}Mi}}\n        \
                     volumeMounts:\n        \
                     - name: study\n          \
                       mountPath: {mount}\n      \
                   volumes:\n      \
                   - name: study\n        \
                     persistentVolumeClaim:\n          \
                       claimName: {claim}\n"
        ))
    }

    fn submit(&self) -> Vec<u8> {
        let name = &self.name;
        let script = self.job.submit_script(&format!(
            "# Options go to kubectl: --namespace, --context. A Job cannot wait for another: this script does.\n\
             kubectl \"$@\" apply -f shards.yaml\n\
             held='jsonpath={{.status.conditions[?(@.status==\"True\")].type}}'\n\
             ended=\n\
             while [ -z \"$ended\" ]; do\n\
             \x20   sleep 5\n\
             \x20   conditions=$(kubectl \"$@\" get job {name} -o \"$held\")\n\
             \x20   case \" $conditions \" in *' Complete '* | *' Failed '*) ended=$conditions ;; esac\n\
             done\n\
             kubectl \"$@\" apply -f merge.yaml\n\
             echo \"$ended: kubectl logs --follow job/{name}-merge shows the merge\"\n"
        ));
        script.0
    }
}

/// A name as Kubernetes has them: also of pods, whose names end with the shard's number.
fn object_name(name: &str) -> String {
    let small = name.to_ascii_lowercase().replace(['_', '.'], "-");
    let short: String = small.chars().take(40).collect();
    format!("fedbits-{}", short.trim_matches('-')).trim_end_matches('-').to_owned()
}
